// Calls the APIs of a service with the official Java client, which decodes each response into its types. Prints a line for each call.
// Usage: java Calls URL
import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.elasticsearch._types.Level;
import co.elastic.clients.elasticsearch._types.Refresh;
import co.elastic.clients.elasticsearch._types.aggregations.CalendarInterval;
import co.elastic.clients.elasticsearch.core.search.Hit;
import co.elastic.clients.json.jackson.JacksonJsonpMapper;
import co.elastic.clients.transport.rest_client.RestClientTransport;
import java.util.List;
import java.util.Map;
import org.apache.http.HttpHost;
import org.elasticsearch.client.RestClient;
import org.elasticsearch.client.sniff.Sniffer;

public class Calls {
  interface Call {
    Object run() throws Exception;
  }

  static void check(String name, Call call) {
    try {
      String.valueOf(call.run());
      System.out.println("ok " + name);
    } catch (Throwable error) {
      Throwable cause = error;
      while (cause.getCause() != null) cause = cause.getCause();
      System.out.println("FAIL " + name + " " + String.valueOf(cause).replace('\n', ' '));
    }
  }

  public static void main(String[] args) throws Exception {
    RestClient rest = RestClient.builder(HttpHost.create(args[0])).build();
    Sniffer sniffer = Sniffer.builder(rest).build();
    ElasticsearchClient es = new ElasticsearchClient(new RestClientTransport(rest, new JacksonJsonpMapper()));
    String index = "java";
    Map<String, Object> document = Map.of("text", "hello world", "word", "a", "date", "2020-01-01", "number", 1, "price", 1.5, "flag", true);
    check("ping", () -> es.ping());
    check("info", () -> es.info());
    check("create", () -> es.indices().create(c -> c.index(index).mappings(m -> m
        .properties("text", p -> p.text(t -> t.fielddata(true))).properties("word", p -> p.keyword(k -> k))
        .properties("date", p -> p.date(d -> d)).properties("number", p -> p.long_(l -> l)).properties("price", p -> p.double_(d -> d))
        .properties("flag", p -> p.boolean_(b -> b)).properties("place", p -> p.geoPoint(g -> g)).properties("nested", p -> p.nested(n -> n))
        .properties("suggest", p -> p.completion(s -> s)))));
    check("index", () -> es.index(i -> i.index(index).id("1").document(document).refresh(Refresh.True)));
    check("exists", () -> es.exists(e -> e.index(index).id("1")));
    check("get", () -> es.get(g -> g.index(index).id("1"), Map.class));
    check("getSource", () -> es.getSource(g -> g.index(index).id("1"), Map.class));
    check("update", () -> es.update(u -> u.index(index).id("1").doc(Map.of("number", 2)), Map.class));
    check("bulk", () -> es.bulk(b -> b.refresh(Refresh.True).operations(o -> o.index(i -> i.index(index).id("2").document(document)))));
    check("mget", () -> es.mget(m -> m.index(index).ids("1", "9"), Map.class));
    check("search", () -> {
      for (Hit<Map> hit : es.search(s -> s.index(index).explain(true).profile(true).version(true).query(q -> q.match(m -> m.field("text").query("hello")))
          .highlight(h -> h.fields("text", f -> f)).fields(f -> f.field("*")), Map.class).hits().hits()) hit.id();
      return null;
    });
    check("aggregations", () -> es.search(s -> s.index(index).size(0)
        .aggregations("terms", a -> a.terms(t -> t.field("word")).aggregations("avg", b -> b.avg(v -> v.field("price"))))
        .aggregations("longs", a -> a.terms(t -> t.field("number"))).aggregations("doubles", a -> a.terms(t -> t.field("price")))
        .aggregations("dates", a -> a.dateHistogram(d -> d.field("date").calendarInterval(CalendarInterval.Month)))
        .aggregations("histogram", a -> a.histogram(h -> h.field("price").interval(1.0)))
        .aggregations("stats", a -> a.stats(t -> t.field("price"))).aggregations("extended", a -> a.extendedStats(t -> t.field("price")))
        .aggregations("percentiles", a -> a.percentiles(p -> p.field("price"))).aggregations("ranks", a -> a.percentileRanks(p -> p.field("price").values(1.0)))
        .aggregations("cardinality", a -> a.cardinality(c -> c.field("word"))).aggregations("missing", a -> a.missing(m -> m.field("none")))
        .aggregations("filters", a -> a.filters(f -> f.filters(k -> k.keyed(Map.of("all", co.elastic.clients.elasticsearch._types.query_dsl.Query.of(q -> q.matchAll(x -> x)))))))
        .aggregations("range", a -> a.range(r -> r.field("price").ranges(g -> g.to(2.0)))).aggregations("global", a -> a.global(g -> g))
        .aggregations("nested", a -> a.nested(n -> n.path("nested"))).aggregations("hits", a -> a.topHits(t -> t.size(1)))
        .aggregations("bounds", a -> a.geoBounds(g -> g.field("place"))).aggregations("empty", a -> a.max(m -> m.field("none"))), Void.class));
    check("suggest", () -> es.search(s -> s.index(index).suggest(g -> g.suggesters("term", t -> t.text("helo").term(x -> x.field("text")))
        .suggesters("phrase", t -> t.text("helo").phrase(x -> x.field("text"))).suggesters("completion", t -> t.prefix("h").completion(x -> x.field("suggest")))), Void.class));
    check("msearch", () -> es.msearch(m -> m.searches(r -> r.header(h -> h.index(index)).body(b -> b.query(q -> q.matchAll(x -> x)))), Map.class));
    check("count", () -> es.count(c -> c.index(index)));
    check("openPointInTime", () -> {
      String id = es.openPointInTime(p -> p.index(index).keepAlive(t -> t.time("1m"))).id();
      return es.closePointInTime(p -> p.id(id));
    });
    check("scroll", () -> {
      String id = es.search(s -> s.index(index).scroll(t -> t.time("1m")), Map.class).scrollId();
      es.scroll(s -> s.scrollId(id), Map.class);
      return es.clearScroll(c -> c.scrollId(id));
    });
    check("explain", () -> es.explain(e -> e.index(index).id("1").query(q -> q.matchAll(m -> m)), Map.class));
    check("validateQuery", () -> es.indices().validateQuery(v -> v.index(index).explain(true).query(q -> q.matchAll(m -> m))));
    check("fieldCaps", () -> es.fieldCaps(f -> f.index(index).fields("*")));
    check("termvectors", () -> es.termvectors(t -> t.index(index).id("1").fields("text").termStatistics(true)));
    check("searchShards", () -> es.searchShards(s -> s.index(index)));
    check("reindex", () -> es.reindex(r -> r.source(s -> s.index(index)).dest(d -> d.index("java-copy"))));
    check("updateByQuery", () -> es.updateByQuery(u -> u.index(index)));
    check("deleteByQuery", () -> es.deleteByQuery(d -> d.index("java-copy").query(q -> q.matchAll(m -> m))));
    check("putScript", () -> es.putScript(p -> p.id("java").script(s -> s.lang("painless").source("1"))));
    check("getScript", () -> es.getScript(g -> g.id("java")));
    check("getScriptContext", () -> es.getScriptContext());
    check("getScriptLanguages", () -> es.getScriptLanguages());
    check("searchTemplate", () -> es.searchTemplate(s -> s.index(index).source("{\"query\":{\"match_all\":{}}}"), Map.class));
    check("indices.get", () -> es.indices().get(g -> g.index(index).includeDefaults(true)));
    check("indices.getSettings", () -> es.indices().getSettings(g -> g.index(index).includeDefaults(true)));
    check("indices.getMapping", () -> es.indices().getMapping(g -> g.index(index)));
    check("indices.getFieldMapping", () -> es.indices().getFieldMapping(g -> g.index(index).fields("text")));
    check("indices.putMapping", () -> es.indices().putMapping(p -> p.index(index).properties("more", x -> x.keyword(k -> k))));
    check("indices.putSettings", () -> es.indices().putSettings(p -> p.index(index).settings(s -> s.refreshInterval(t -> t.time("1s")))));
    check("indices.putAlias", () -> es.indices().putAlias(p -> p.index(index).name("java-alias")));
    check("indices.getAlias", () -> es.indices().getAlias());
    check("indices.stats", () -> es.indices().stats(s -> s.level(Level.Shards)));
    check("indices.segments", () -> es.indices().segments());
    check("indices.recovery", () -> es.indices().recovery(r -> r.detailed(true)));
    check("indices.shardStores", () -> es.indices().shardStores());
    check("indices.resolveIndex", () -> es.indices().resolveIndex(r -> r.name("*")));
    check("indices.analyze", () -> es.indices().analyze(a -> a.analyzer("standard").text("hello world").explain(true)));
    check("indices.refresh", () -> es.indices().refresh());
    check("indices.flush", () -> es.indices().flush());
    check("indices.forcemerge", () -> es.indices().forcemerge());
    check("indices.clearCache", () -> es.indices().clearCache());
    check("indices.putIndexTemplate", () -> es.indices().putIndexTemplate(p -> p.name("java").indexPatterns("java-t-*").priority(7L).template(t -> t.settings(s -> s.numberOfShards("1")))));
    check("indices.getIndexTemplate", () -> es.indices().getIndexTemplate());
    check("indices.simulateIndexTemplate", () -> es.indices().simulateIndexTemplate(s -> s.name("java-t-1")));
    check("cluster.health", () -> es.cluster().health(h -> h.level(Level.Shards)));
    check("cluster.stats", () -> es.cluster().stats());
    check("cluster.state", () -> es.cluster().state());
    check("cluster.getSettings", () -> es.cluster().getSettings(g -> g.includeDefaults(true)));
    check("cluster.pendingTasks", () -> es.cluster().pendingTasks());
    check("cluster.reroute", () -> es.cluster().reroute(r -> r));
    check("nodes.info", () -> es.nodes().info());
    check("nodes.stats", () -> es.nodes().stats());
    check("nodes.usage", () -> es.nodes().usage());
    check("tasks.list", () -> es.tasks().list());
    check("ingest.putPipeline", () -> es.ingest().putPipeline(p -> p.id("java").processors(x -> x.set(s -> s.field("a").value(co.elastic.clients.json.JsonData.of(1))))));
    check("ingest.getPipeline", () -> es.ingest().getPipeline());
    check("ingest.simulate", () -> es.ingest().simulate(s -> s.id("java").docs(d -> d.id("1").index(index).source(co.elastic.clients.json.JsonData.of(Map.of("b", 1))))));
    check("snapshot.getRepository", () -> es.snapshot().getRepository());
    check("snapshot.status", () -> es.snapshot().status());
    check("xpack.info", () -> es.xpack().info());
    check("license.get", () -> es.license().get());
    check("security.authenticate", () -> es.security().authenticate());
    check("ilm.getLifecycle", () -> es.ilm().getLifecycle());
    check("ilm.getStatus", () -> es.ilm().getStatus());
    check("cat.indices", () -> es.cat().indices());
    check("cat.nodes", () -> es.cat().nodes());
    check("cat.shards", () -> es.cat().shards());
    check("cat.health", () -> es.cat().health());
    check("cat.recovery", () -> es.cat().recovery());
    check("cat.allocation", () -> es.cat().allocation());
    check("cat.segments", () -> es.cat().segments());
    check("cat.aliases", () -> es.cat().aliases());
    check("cat.templates", () -> es.cat().templates());
    check("cat.threadPool", () -> es.cat().threadPool());
    check("cat.master", () -> es.cat().master());
    check("cat.plugins", () -> es.cat().plugins());
    check("cat.count", () -> es.cat().count());
    check("cat.tasks", () -> es.cat().tasks());
    check("delete", () -> es.delete(d -> d.index(index).id("1")));
    check("indices.delete", () -> es.indices().delete(d -> d.index(List.of(index, "java-copy"))));
    sniffer.close();
    rest.close();
  }
}
