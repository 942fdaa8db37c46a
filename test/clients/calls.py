# Calls the APIs of a service with the official Python client, elasticsearch-dsl included where it is installed. Prints a line for each call.
# Usage: python calls.py URL
import sys

from elasticsearch import Elasticsearch, __versionstr__
from elasticsearch.helpers import bulk, scan

URL = sys.argv[1]
MAJOR = int(__versionstr__.split(".")[0])


def check(name, call):
    try:
        result = call()
        assert result is not None
        print("ok " + name)
    except Exception as error:  # every failure is a result
        print("FAIL %s %s" % (name, str(error).replace("\n", " ")[:300]))


def same(actual, expected):
    assert actual == expected and type(actual) is type(expected), "%r is not %r" % (actual, expected)
    return True


# Version 7 needs a sniffed host of the same scheme; both learn the address of the node from _nodes/_all/http.
es = Elasticsearch(URL, sniff_on_start=True)
es.options(ignore_status=404).indices.delete(index="py") if MAJOR >= 8 else es.indices.delete(index="py", ignore=404)
mappings = {"properties": {"text": {"type": "text"}, "word": {"type": "keyword"}, "price": {"type": "double"}}}
check("info", lambda: es.info())
check("indices.create", lambda: es.indices.create(index="py", body={"mappings": mappings}))
check("bulk", lambda: bulk(es, [{"_index": "py", "_id": str(i), "word": "a", "text": "hello", "price": float(i)} for i in range(10)], refresh=True))
check("scan", lambda: same(len(list(scan(es, index="py"))), 10))
check("floats of sources", lambda: same(es.get(index="py", id="1", _source_includes=["price"])["_source"]["price"], 1.0))
check("scores", lambda: same(es.search(index="py", body={"query": {"match_all": {}}})["hits"]["max_score"], 1.0))
aggs = {"max": {"max": {"field": "price"}}, "ranks": {"percentiles": {"field": "price"}}, "words": {"terms": {"field": "word"}}}
check("aggregations", lambda: same(es.search(index="py", body={"size": 0, "aggs": aggs})["aggregations"]["max"]["value"], 9.0))
check("count", lambda: same(es.count(index="py")["count"], 10))
check("update", lambda: es.update(index="py", id="1", body={"doc": {"price": 5.0}}, refresh=True))
check("mget", lambda: es.mget(index="py", body={"ids": ["1", "99"]}))
check("msearch", lambda: es.msearch(body=[{"index": "py"}, {"query": {"match_all": {}}}]))
check("field_caps", lambda: es.field_caps(index="py", fields="*"))
check("termvectors", lambda: es.termvectors(index="py", id="1", fields="text"))
check("explain", lambda: es.explain(index="py", id="1", body={"query": {"match_all": {}}}))
check("reindex", lambda: es.reindex(body={"source": {"index": "py"}, "dest": {"index": "py-copy"}}, refresh=True))
check("delete_by_query", lambda: es.delete_by_query(index="py-copy", body={"query": {"match_all": {}}}))
for name in ("get", "get_mapping", "get_settings", "get_alias", "stats", "segments", "recovery"):
    check("indices." + name, lambda: getattr(es.indices, name)(index="py"))
for name in ("health", "stats", "state", "get_settings", "pending_tasks"):
    check("cluster." + name, lambda: getattr(es.cluster, name)())
for name in ("info", "stats", "usage", "hot_threads"):
    check("nodes." + name, lambda: getattr(es.nodes, name)())
for name in ("indices", "nodes", "shards", "health", "count", "aliases", "allocation", "master", "templates", "thread_pool"):
    check("cat." + name, lambda: getattr(es.cat, name)(format="json"))
check("tasks.list", lambda: es.tasks.list())
check("ingest.put_pipeline", lambda: es.ingest.put_pipeline(id="py", body={"processors": [{"set": {"field": "a", "value": 1}}]}))
check("ingest.get_pipeline", lambda: es.ingest.get_pipeline())
check("snapshot.get_repository", lambda: es.snapshot.get_repository())
check("license.get", lambda: es.license.get())
check("indices.delete", lambda: es.indices.delete(index="py,py-copy"))
