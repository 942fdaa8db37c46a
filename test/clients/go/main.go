// Calls the APIs of a service with the official Go clients: the typed client of version 8, which decodes each response, and the one of version 7.
// Prints a line for each call. Usage: main URL
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	es7 "github.com/elastic/go-elasticsearch/v7"
	es8 "github.com/elastic/go-elasticsearch/v8"
)

func show(name string, err error) {
	if err != nil {
		fmt.Println("FAIL", name, strings.ReplaceAll(err.Error(), "\n", " "))
	} else {
		fmt.Println("ok", name)
	}
}

func check[T any](name string, call func(context.Context) (T, error)) {
	_, err := call(context.Background())
	show(name, err)
}

func main() {
	es, err := es8.NewTypedClient(es8.Config{Addresses: []string{os.Args[1]}, DiscoverNodesOnStart: true})
	show("connect", err)
	if err != nil {
		os.Exit(1)
	}
	es.Indices.Delete("go").Do(context.Background())
	check("info", es.Info().Do)
	check("indices.create", es.Indices.Create("go").Do)
	check("index", es.Index("go").Id("1").Raw(strings.NewReader(`{"number":1.0,"word":"x"}`)).Do)
	check("indices.refresh", es.Indices.Refresh().Index("go").Do)
	check("search", es.Search().Index("go").Raw(strings.NewReader(`{"profile":true,"explain":true,"aggs":{"stats":{"stats":{"field":"number"}},
		"histogram":{"histogram":{"field":"number","interval":1}},"percentiles":{"percentiles":{"field":"number"}}}}`)).Do)
	check("nodes.info", es.Nodes.Info().Do)
	check("nodes.stats", es.Nodes.Stats().Do)
	check("nodes.stats for people", es.Nodes.Stats().Human(true).Do)
	check("nodes.usage", es.Nodes.Usage().Do)
	check("cluster.stats", es.Cluster.Stats().Do)
	check("cluster.health", es.Cluster.Health().Do)
	check("cluster.state", es.Cluster.State().Do)
	check("cluster.get_settings", es.Cluster.GetSettings().IncludeDefaults(true).Do)
	check("indices.stats", es.Indices.Stats().Do)
	check("indices.get", es.Indices.Get("go").Do)
	check("indices.get_settings", es.Indices.GetSettings().IncludeDefaults(true).Do)
	check("indices.get_mapping", es.Indices.GetMapping().Do)
	check("indices.get_field_mapping", es.Indices.GetFieldMapping("*").IncludeDefaults(true).Do)
	check("indices.segments", es.Indices.Segments().Do)
	check("indices.recovery", es.Indices.Recovery().Do)
	check("indices.shard_stores", es.Indices.ShardStores().Do)
	check("indices.get_alias", es.Indices.GetAlias().Do)
	check("indices.resolve_index", es.Indices.ResolveIndex("*").Do)
	check("search_shards", es.SearchShards().Index("go").Do)
	check("field_caps", es.FieldCaps().Index("go").Fields("*").Do)
	check("count", es.Count().Do)
	check("get", es.Get("go", "1").Do)
	check("termvectors", es.Termvectors("go").Id("1").Do)
	check("explain", es.Explain("go", "1").Raw(strings.NewReader(`{"query":{"match_all":{}}}`)).Do)
	check("tasks.list", es.Tasks.List().Do)
	check("xpack.info", es.Xpack.Info().Do)
	check("license.get", es.License.Get().Do)
	check("cat.indices", es.Cat.Indices().Do)
	check("cat.nodes", es.Cat.Nodes().Do)
	check("cat.shards", es.Cat.Shards().Do)
	check("cat.recovery", es.Cat.Recovery().Do)
	check("cat.health", es.Cat.Health().Do)
	check("cat.thread_pool", es.Cat.ThreadPool().Do)
	check("snapshot.get_repository", es.Snapshot.GetRepository().Do)
	check("security.authenticate", es.Security.Authenticate().Do)
	check("indices.delete", es.Indices.Delete("go").Do)

	old, err := es7.NewClient(es7.Config{Addresses: []string{os.Args[1]}, DiscoverNodesOnStart: true})
	show("connect with version 7", err)
	if err == nil {
		response, err := old.Info()
		show("info with version 7", err)
		if err == nil && response.IsError() {
			show("status with version 7", fmt.Errorf("%s", response.Status()))
		}
	}
}
