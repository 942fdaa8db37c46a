// Builds main.go with the official Go clients; test/clients/run.ts runs it.
module calls

go 1.22

require (
	github.com/elastic/go-elasticsearch/v7 v7.17.10
	github.com/elastic/go-elasticsearch/v8 v8.19.0
)
