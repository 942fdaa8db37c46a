"""hnswlib as a rival of bench:vectors; needs the packages hnswlib and numpy.

vectors.py VECTORS QUERIES OUT DIMS M EF CANDIDATES ROUNDS: raw little-endian floats, cosine, one thread.
Prints seconds of CPU for the build and queries per second of CPU of the best round; OUT receives the ten nearest of each query.
"""
import sys
import time

import hnswlib
import numpy

vectors_file, queries_file, out_file = sys.argv[1:4]
dims, m, ef, candidates, rounds = map(int, sys.argv[4:9])
vectors = numpy.fromfile(vectors_file, dtype="<f4").reshape(-1, dims)
queries = numpy.fromfile(queries_file, dtype="<f4").reshape(-1, dims)
index = hnswlib.Index(space="cosine", dim=dims)
index.init_index(max_elements=len(vectors), M=m, ef_construction=ef)
index.set_num_threads(1)
start = time.process_time()
index.add_items(vectors, num_threads=1)
print(f"hnswlib\tbuild seconds\t{time.process_time() - start:.2f}")
index.set_ef(candidates)
best = 0.0
for _ in range(rounds):
    start = time.process_time()
    found = [index.knn_query(query, k=10, num_threads=1)[0][0] for query in queries]
    best = max(best, len(queries) / (time.process_time() - start))
print(f"hnswlib\tqueries per second\t{best:.2f}")
with open(out_file, "w") as out:
    for labels in found:
        print(*labels, file=out)
