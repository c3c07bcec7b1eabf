module github.com/tegula-lang/tegula

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/ebitengine/purego v0.11.3
	github.com/google/go-cmp v0.7.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	golang.org/x/text v0.44.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/sys v0.50.0
