import com.fasterxml.jackson.databind.ObjectReader;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/** Indexes `body` (freqs, positions, norms) and stores `id`, on one thread into one segment whose documents are in line order. */
final class IndexCommand {
  record Source(String id, String body) {}

  private IndexCommand() {}

  static void run(List<String> files, Map<String, String> options) throws IOException {
    Path corpus = Path.of(files.get(0));
    Path folder = Path.of(files.get(1));
    double ramMb = Double.parseDouble(options.getOrDefault("ram", "256"));
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuBefore = system.getProcessCpuTime();
    long start = System.nanoTime();
    try (Directory directory = FSDirectory.open(folder); IndexWriter writer = new IndexWriter(directory, config(ramMb))) {
      addAll(writer, corpus);
      writer.commit();
      double addSeconds = Rival.secondsSince(start);
      writer.forceMerge(1);
      writer.commit();
      Rival.print("add_s", addSeconds);
      Rival.print("merge_s", Rival.secondsSince(start) - addSeconds);
      Rival.print("cpu_s", (system.getProcessCpuTime() - cpuBefore) / 1e9);
    }
    printIndex(folder);
  }

  /** Merges neighbouring segments only, inside the adding thread, so that documents keep their order. */
  private static IndexWriterConfig config(double ramMb) {
    IndexWriterConfig config = new IndexWriterConfig(Rival.standardAnalyzer());
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setRAMBufferSizeMB(ramMb);
    config.setMergePolicy(new LogDocMergePolicy());
    config.setMergeScheduler(new SerialMergeScheduler());
    config.setUseCompoundFile(false);
    return config;
  }

  private static void addAll(IndexWriter writer, Path corpus) throws IOException {
    ObjectReader json = Rival.JSON.readerFor(Source.class);
    StoredField id = new StoredField("id", "");
    TextField body = new TextField(Rival.FIELD, "", Field.Store.NO);
    Document document = new Document();
    document.add(id);
    document.add(body);
    try (BufferedReader lines = Files.newBufferedReader(corpus)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Source source = json.readValue(line);
        id.setStringValue(source.id());
        body.setStringValue(source.body());
        writer.addDocument(document);
      }
    }
  }

  private static void printIndex(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) bytes += Files.size(file);
    }
    Rival.print("size_mb", bytes / 1e6);
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(folder))) {
      if (reader.leaves().size() != 1) throw new IllegalStateException(reader.leaves().size() + " segments after the merge");
      LeafReader segment = reader.leaves().get(0).reader();
      Rival.print("docs", segment.numDocs());
      Rival.print("terms", segment.terms(Rival.FIELD).size());
      Rival.print("postings", segment.getSumDocFreq(Rival.FIELD));
      Rival.print("tokens", segment.getSumTotalTermFreq(Rival.FIELD));
    }
  }
}
