import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;

/**
 * `vectors VECTORS QUERIES OUT --dims 384 --m 16 --ef 100 --candidates 100 --rounds 3`: raw little-endian floats, cosine, one segment, one thread.
 * Prints seconds of CPU for the build and queries per second of CPU of the best round; OUT receives the ten nearest of each query.
 */
final class VectorCommand {
  private VectorCommand() {}

  static void run(List<String> words, Map<String, String> options) throws IOException {
    int dims = Integer.parseInt(options.get("dims"));
    int m = Integer.parseInt(options.getOrDefault("m", "16"));
    int ef = Integer.parseInt(options.getOrDefault("ef", "100"));
    int candidates = Integer.parseInt(options.getOrDefault("candidates", "100"));
    int rounds = Integer.parseInt(options.getOrDefault("rounds", "3"));
    float[][] vectors = read(words.get(0), dims), queries = read(words.get(1), dims);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (Directory directory = new MMapDirectory(Files.createTempDirectory("lucene-vectors"))) {
      long start = threads.getCurrentThreadCpuTime();
      build(directory, vectors, m, ef);
      Rival.print("build seconds", (threads.getCurrentThreadCpuTime() - start) / 1e9);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        double best = 0;
        int[][] found = null;
        for (int round = 0; round < rounds; round++) {
          start = threads.getCurrentThreadCpuTime();
          found = search(searcher, queries, candidates);
          best = Math.max(best, queries.length / ((threads.getCurrentThreadCpuTime() - start) / 1e9));
        }
        Rival.print("queries per second", best);
        write(words.get(2), found);
      }
    }
  }

  private static void build(Directory directory, float[][] vectors, int m, int ef) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig().setRAMBufferSizeMB(1900).setMergeScheduler(new SerialMergeScheduler());
    config.setUseCompoundFile(false);
    config.setCodec(
        new Lucene104Codec() {
          @Override
          public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
            return new Lucene99HnswVectorsFormat(m, ef);
          }
        });
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (float[] vector : vectors) {
        Document document = new Document();
        document.add(new KnnFloatVectorField("v", vector, VectorSimilarityFunction.COSINE));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  private static int[][] search(IndexSearcher searcher, float[][] queries, int candidates) throws IOException {
    int[][] found = new int[queries.length][];
    for (int i = 0; i < queries.length; i++) {
      ScoreDoc[] hits = searcher.search(new KnnFloatVectorQuery("v", queries[i], candidates), 10).scoreDocs;
      found[i] = new int[hits.length];
      for (int hit = 0; hit < hits.length; hit++) found[i][hit] = hits[hit].doc;
    }
    return found;
  }

  private static float[][] read(String file, int dims) throws IOException {
    try (DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(Path.of(file)), 1 << 20))) {
      float[][] vectors = new float[(int) (Files.size(Path.of(file)) / (4L * dims))][dims];
      byte[] bytes = new byte[4 * dims];
      for (float[] vector : vectors) {
        in.readFully(bytes);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(vector);
      }
      return vectors;
    }
  }

  private static void write(String file, int[][] found) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(file)))) {
      for (int[] docs : found) {
        StringBuilder line = new StringBuilder();
        for (int doc : docs) line.append(line.isEmpty() ? "" : " ").append(doc);
        out.println(line);
      }
    }
  }
}
