module github.com/tegula-lang/tegula

go 1.26
