// MB/s (UTF-8 bytes of the texts, CPU seconds of the measuring thread) of a Lucene analyzer on one thread.
//   AnalysisBench ROUNDS CLASS FILE.ndjson [CLASS FILE.ndjson]...     prints "CLASS <tab> FILE <tab> MB/s <tab> tokens" lines, best round
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public final class AnalysisBench {
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    ObjectMapper mapper = new ObjectMapper();
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    for (int i = 1; i + 1 < args.length; i += 2) {
      List<String> texts = new ArrayList<>();
      long bytes = 0;
      for (String line : Files.readAllLines(Path.of(args[i + 1]))) {
        String text = mapper.readTree(line).get("text").asText();
        texts.add(text);
        bytes += text.getBytes(StandardCharsets.UTF_8).length;
      }
      Analyzer analyzer = args[i].equals("standard")
          ? new StandardAnalyzer(CharArraySet.EMPTY_SET)
          : (Analyzer) Class.forName(args[i]).getDeclaredConstructor().newInstance();
      double best = Double.MAX_VALUE;
      long tokens = 0;
      for (int round = 0; round < rounds; round++) {
        long start = clock.getCurrentThreadCpuTime();
        tokens = 0;
        for (String text : texts) {
          try (TokenStream stream = analyzer.tokenStream("f", text)) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) tokens += term.length() >= 0 ? 1 : 0;
            stream.end();
          }
        }
        best = Math.min(best, (clock.getCurrentThreadCpuTime() - start) / 1e9);
      }
      System.out.printf("%s\t%s\t%.1f\t%d%n", args[i], args[i + 1], bytes / 1e6 / best, tokens);
    }
  }
}
