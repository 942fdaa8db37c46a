import java.util.List;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One OpenSearch node on loopback: OpenSearchNode FOLDER PORT. Its transport listens on the port 100 higher. */
public final class OpenSearchNode {
  private OpenSearchNode() {}

  public static void main(String[] args) throws InterruptedException {
    String folder = args[0];
    int port = Integer.parseInt(args[1]);
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild((number, settings) -> {
      settings.put("network.host", "127.0.0.1");
      settings.put("http.port", port);
      settings.put("transport.port", port + 100);
      settings.putList("node.roles", List.of("cluster_manager", "data", "ingest"));
      settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
    });
    runner.build(OpenSearchRunner.newConfigs().basePath(folder).numOfNode(1).clusterName("rival").useLogger());
    Thread.currentThread().join();
  }
}
