import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.queryparser.classic.ParseException;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.MMapDirectory;

/**
 * Times each query in each mode, on one thread without a query cache; parsing is not timed, rewriting is. Writes OUT.tsv (id, family, mode, best
 * and median ns, count) and OUT.jsonl (exact count and top 10 per query: the form of bench/query/prose-lucene10.jsonl.gz).
 */
final class QueryCommand {
  private static final int ALL = Integer.MAX_VALUE;

  /** A line of the query file; the first tag is the family. */
  record Line(String query, List<String> tags) {}

  record BenchQuery(int id, String text, String family, Query query) {}

  /** What a mode asks for: a count (0 hits), or hits with totals counted up to a number, beyond which documents may be skipped. */
  enum Mode {
    COUNT(0, 0),
    TOP_10(10, 10),
    TOP_10_COUNT(10, ALL),
    TOP_100(100, 100);

    final int hits;
    final int countUpTo;

    Mode(int hits, int countUpTo) {
      this.hits = hits;
      this.countUpTo = countUpTo;
    }
  }

  private final IndexSearcher searcher;
  private final List<BenchQuery> queries;

  private QueryCommand(IndexSearcher searcher, List<BenchQuery> queries) {
    this.searcher = searcher;
    this.queries = queries;
  }

  static void run(List<String> files, Map<String, String> options) throws IOException, ParseException {
    String out = files.get(2);
    int rounds = Integer.parseInt(options.getOrDefault("rounds", "5"));
    double warmUpSeconds = Double.parseDouble(options.getOrDefault("warmup", "2"));
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(Path.of(files.get(0))))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      QueryCommand command = new QueryCommand(searcher, parse(Path.of(files.get(1))));
      command.writeResults(out.replaceFirst("\\.tsv$", "") + ".jsonl");
      try (PrintWriter tsv = new PrintWriter(out)) {
        tsv.println("id\tfamily\tmode\tbest_ns\tmedian_ns\tcount");
        for (String mode : options.getOrDefault("modes", "COUNT,TOP_10,TOP_10_COUNT,TOP_100").split(",")) {
          command.time(Mode.valueOf(mode), rounds, warmUpSeconds, tsv);
        }
      }
    }
  }

  private static List<BenchQuery> parse(Path file) throws IOException, ParseException {
    QueryParser parser = new QueryParser(Rival.FIELD, Rival.standardAnalyzer());
    List<BenchQuery> queries = new ArrayList<>();
    for (String json : Files.readAllLines(file)) {
      Line line = Rival.JSON.readValue(json, Line.class);
      queries.add(new BenchQuery(queries.size(), line.query(), line.tags().get(0), parser.parse(line.query())));
    }
    return queries;
  }

  private void time(Mode mode, int rounds, double warmUpSeconds, PrintWriter tsv) throws IOException {
    long warmUp = System.nanoTime();
    while (Rival.secondsSince(warmUp) < warmUpSeconds) for (BenchQuery query : queries) count(query.query(), mode);
    long[][] nanos = new long[queries.size()][rounds];
    long[] counts = new long[queries.size()];
    for (int round = 0; round < rounds; round++) {
      for (int id : shuffledIds(round)) {
        long start = System.nanoTime();
        counts[id] = count(queries.get(id).query(), mode);
        nanos[id][round] = System.nanoTime() - start;
      }
    }
    double sumMs = 0;
    for (BenchQuery query : queries) {
      long[] times = nanos[query.id()];
      Arrays.sort(times);
      sumMs += times[0] / 1e6;
      tsv.printf("%d\t%s\t%s\t%d\t%d\t%d%n", query.id(), query.family(), mode, times[0], times[rounds / 2], counts[query.id()]);
    }
    Rival.print(mode + "_sum_best_ms", sumMs);
  }

  /** A new order each round, the same in every run. */
  private List<Integer> shuffledIds(int round) {
    List<Integer> ids = new ArrayList<>(IntStream.range(0, queries.size()).boxed().toList());
    Collections.shuffle(ids, new Random(round));
    return ids;
  }

  /** Exact hits for COUNT and TOP_10_COUNT, else the documents returned. */
  private long count(Query query, Mode mode) throws IOException {
    if (mode == Mode.COUNT) return searcher.count(query);
    TopDocs top = top(query, mode);
    return mode == Mode.TOP_10_COUNT ? top.totalHits.value() : top.scoreDocs.length;
  }

  private TopDocs top(Query query, Mode mode) throws IOException {
    return searcher.search(query, new TopScoreDocCollectorManager(mode.hits, mode.countUpTo));
  }

  /** Fails if skipping documents, or counting apart, changes a result. */
  private void writeResults(String file) throws IOException {
    try (PrintWriter out = new PrintWriter(file)) {
      for (BenchQuery query : queries) {
        TopDocs all = top(query.query(), Mode.TOP_10_COUNT);
        List<List<Object>> hits = hits(all);
        long count = all.totalHits.value();
        if (count(query.query(), Mode.COUNT) != count || !hits(top(query.query(), Mode.TOP_10)).equals(hits)) {
          throw new IllegalStateException("the modes disagree on [" + query.text() + "]");
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("id", query.id());
        line.put("query", query.text());
        line.put("family", query.family());
        line.put("count", count);
        line.put("top", hits);
        out.println(Rival.JSON.writeValueAsString(line));
      }
    }
  }

  private List<List<Object>> hits(TopDocs top) throws IOException {
    List<List<Object>> hits = new ArrayList<>();
    for (ScoreDoc hit : top.scoreDocs) hits.add(List.of(searcher.storedFields().document(hit.doc).get("id"), hit.score));
    return hits;
  }
}
