"""Times the requests of bench/aggs/events-aggregations.jsonl, as SQL, on the events corpus in memory.

Keywords are ENUMs, small integers into a sorted dictionary: the closest relative of doc values. Writes OUT.tsv (name, best and median ms, rows)
and OUT.jsonl (the rows of each answer, against which the bench checks ours). Times include fetching the rows.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import duckdb

KEYWORDS = ("origin", "destination", "route", "origin_state", "destination_state")


def top_terms(field, measures="", where="", size=10):
    """The terms aggregation: largest groups first, ties in the order of the terms."""
    columns = f"{field}, count(*) AS n{', ' + measures if measures else ''}"
    condition = f"WHERE {where}" if where else ""
    return f"SELECT {columns} FROM events {condition} GROUP BY {field} ORDER BY n DESC, {field} LIMIT {size}"


def per_day(*columns, keys=()):
    """A histogram of days, further split by `keys`."""
    groups = ", ".join(("day", *keys))
    selected = ", ".join(("date_trunc('day', timestamp) AS day", *keys, "count(*)", *columns))
    order = groups
    return f"SELECT {selected} FROM events GROUP BY {groups} ORDER BY {order}"


def distinct(field):
    return f"SELECT count(DISTINCT {field}) FROM events"


STATEMENTS = {
    "count_filter": "SELECT count(*) FROM events WHERE delay >= 31",
    "stats": "SELECT count(delay), min(delay), max(delay), avg(delay), sum(delay) FROM events",
    "terms_origin": top_terms("origin"),
    "terms_route": top_terms("route"),
    "terms_origin_avg_delay": top_terms("origin", "avg(delay)"),
    "terms_route_avg_delay": top_terms("route", "avg(delay)"),
    "date_histogram_day": per_day(),
    "date_histogram_day_avg_delay": per_day("avg(delay)"),
    "date_histogram_day_terms_state": per_day(keys=("origin_state",)),
    "histogram_distance_100": "SELECT distance // 100 * 100 AS low, count(*) FROM events GROUP BY low ORDER BY low",
    "range_distance": """
        SELECT CASE WHEN distance < 250 THEN 0 WHEN distance < 500 THEN 1 WHEN distance < 1000 THEN 2 WHEN distance < 2000 THEN 3 ELSE 4 END AS range,
               count(*) FROM events GROUP BY range ORDER BY range""",
    "cardinality_route": distinct("route"),
    "cardinality_delay": distinct("delay"),
    "cardinality_timestamp": distinct("timestamp"),
    "percentiles_delay": "SELECT quantile_cont(delay, [0.5, 0.9, 0.95, 0.99]) FROM events",
    "filter_terms": top_terms("destination", where="origin_state = 'CA' AND delay >= 31"),
    "filter_date_range_terms": top_terms("origin", where="timestamp >= TIMESTAMP '2001-03-01' AND timestamp < TIMESTAMP '2001-04-01'"),
    "filter_terms_avg": top_terms("origin_state", "avg(delay)", "distance BETWEEN 500 AND 1000"),
}


def load(db, corpus):
    columns = {"@timestamp": "VARCHAR", "distance": "INTEGER", "delay": "INTEGER"} | dict.fromkeys(KEYWORDS, "VARCHAR")
    selected = ", ".join(("\"@timestamp\"::TIMESTAMP AS timestamp", "distance", "delay", *KEYWORDS))
    db.execute(f"CREATE TABLE loaded AS SELECT {selected} FROM read_ndjson(?, columns = {columns})", [corpus])
    for field in KEYWORDS:
        db.execute(f"CREATE TYPE {field}_term AS ENUM (SELECT DISTINCT {field} FROM loaded WHERE {field} IS NOT NULL ORDER BY {field})")
    terms = ", ".join(f"{field}::{field}_term AS {field}" for field in KEYWORDS)
    db.execute(f"CREATE TABLE events AS SELECT * REPLACE ({terms}) FROM loaded")
    db.execute("DROP TABLE loaded")


def timed(db, statement):
    start = time.perf_counter()
    rows = db.execute(statement).fetchall()
    return (time.perf_counter() - start) * 1e3, rows


def aggregate(corpus, out, rounds, threads):
    db = duckdb.connect()
    db.execute(f"SET threads = {threads}")
    load(db, corpus)
    with open(out, "w") as tsv, open(Path(out).with_suffix(".jsonl"), "w") as answers:
        print("name", "best_ms", "median_ms", "rows", sep="\t", file=tsv)
        for name, statement in STATEMENTS.items():
            _, rows = timed(db, statement)
            times = [timed(db, statement)[0] for _ in range(rounds)]
            print(name, f"{min(times):.3f}", f"{statistics.median(times):.3f}", len(rows), sep="\t", file=tsv)
            print(json.dumps({"name": name, "rows": rows}, default=str), file=answers)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["aggregate"])
    parser.add_argument("corpus")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    aggregate(arguments.corpus, arguments.out, arguments.rounds, arguments.threads)
