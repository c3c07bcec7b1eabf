package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A menu has a field of every sort.
type menu struct {
	Version int      `json:"version" schema:"version=3" doc:"The version."`
	Title   string   `json:"title"`
	Size    int      `json:"size" schema:"min=-5,max=70"`
	Warps   int64    `json:"warps" schema:"pow2,min=2,max=4611686018427387904"`
	Open    bool     `json:"open"`
	Colour  string   `json:"colour" schema:"enum=red|green"`
	Code    string   `json:"code" schema:"format=code"`
	Dims    [3]int   `json:"dims" schema:"min=1,max=9"`
	Path    []int    `json:"path" schema:"min=0,max=9,minitems=1"`
	Tags    []string `json:"tags" schema:"format=code"`
	Dishes  []dish   `json:"dishes"`
	Extra   extra    `json:"extra" doc:"The rest."`
	Price   *int     `json:"price" schema:"min=1,max=100" doc:"If it has one."`
}

type dish struct {
	Name string `json:"name" schema:"format=code"`
}

type extra struct {
	Known  *dish                      `json:"known"`
	Others map[string]json.RawMessage `schema:"rest"`
}

var menus = New(Options{
	ID: "urn:test:menu", Title: "Menu", Doc: "A menu.",
	Formats: map[string]Format{"code": {`^[a-z]+$`, "lower-case letters"}},
}, func(m *menu) error {
	if m.Size == 13 {
		return NewError("inconsistent", "$.size", "not 13", "13")
	}
	return nil
})

const good = `{
  "version": 3,
  "title": "a \"b\" <c> \u00e9",
  "size": -5,
  "warps": 4611686018427387904,
  "open": true,
  "colour": "red",
  "code": "x",
  "dims": [1, 2, 3],
  "path": [0],
  "tags": ["a", "b"],
  "dishes": [
    {
      "name": "soup"
    },
    {
      "name": "bread"
    }
  ],
  "extra": {
    "known": {
      "name": "tea"
    },
    "later": {
      "x": [1.50, null, {}],
      "y": []
    }
  },
  "price": 7
}
`

func TestParse(t *testing.T) {
	got, err := menus.Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	price := 7
	want := &menu{
		Version: 3, Title: `a "b" <c> é`, Size: -5, Warps: 1 << 62, Open: true, Colour: "red", Code: "x",
		Dims: [3]int{1, 2, 3}, Path: []int{0}, Tags: []string{"a", "b"}, Dishes: []dish{{"soup"}, {"bread"}},
		Extra: extra{&dish{"tea"}, map[string]json.RawMessage{"later": json.RawMessage(`{"x":[1.50,null,{}],"y":[]}`)}},
		Price: &price,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	text, err := menus.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(strings.Replace(good, `\u00e9`, "é", 1), "[1.50, null, {}]", "[\n        1.50,\n        null,\n        {}\n      ]", 1); string(text) != want {
		t.Errorf("encoded as\n%s\nwant\n%s", text, want)
	}
}

// change gives the good document with one thing replaced.
func change(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(good, old) != 1 {
		t.Fatalf("the document has %q %d times", old, strings.Count(good, old))
	}
	return strings.Replace(good, old, new, 1)
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, test := range []struct {
		old, new string // of the good document
		code     string
		want     string
	}{
		{`"size": -5,`, ``, "missing-field", "$.size: expected an integer from -5 to 70, found nothing"},
		{`"title": "a \"b\" <c> \u00e9",`, ``, "missing-field", "$.title: expected a string, found nothing"},
		{`"open": true,`, ``, "missing-field", "$.open: expected true or false, found nothing"},
		{`"path": [0],`, ``, "missing-field", "$.path: expected an array of at least 1 element, found nothing"},
		{`"colour": "red",`, ``, "missing-field", `$.colour: expected one of "red", "green", found nothing`},
		{`"name": "bread"`, ``, "missing-field", "$.dishes[1].name: expected lower-case letters, found nothing"},
		{`"name": "tea"`, ``, "missing-field", "$.extra.known.name: expected lower-case letters, found nothing"},
		{`"version": 3,`, ``, "missing-field", "$.version: expected the version 3, found nothing"},

		{`"version": 3`, `"version": 4, "new": 1`, "unknown-version", "$.version: expected the version 3, found the number 4"},
		{`"version": 3`, `"version": "3"`, "wrong-type", `$.version: expected the version 3, found the string "3"`},
		{`"size": -5`, `"size": "5"`, "wrong-type", `$.size: expected an integer from -5 to 70, found the string "5"`},
		{`"size": -5`, `"size": 4.0`, "wrong-type", "$.size: expected an integer from -5 to 70, found the number 4.0"},
		{`"size": -5`, `"size": 1e1`, "wrong-type", "$.size: expected an integer from -5 to 70, found the number 1e1"},
		{`"size": -5`, `"size": null`, "wrong-type", "$.size: expected an integer from -5 to 70, found null"},
		{`"size": -5`, `"size": false`, "wrong-type", "$.size: expected an integer from -5 to 70, found false"},
		{`"size": -5`, `"size": [1]`, "wrong-type", "$.size: expected an integer from -5 to 70, found an array of 1 element"},
		{`"size": -5`, `"size": {}`, "wrong-type", "$.size: expected an integer from -5 to 70, found an object"},
		{`"open": true`, `"open": 1`, "wrong-type", "$.open: expected true or false, found the number 1"},
		{`"title": "a \"b\" <c> \u00e9"`, `"title": 1`, "wrong-type", "$.title: expected a string, found the number 1"},
		{`"path": [0]`, `"path": 0`, "wrong-type", "$.path: expected an array of at least 1 element, found the number 0"},
		{`"path": [0]`, `"path": [0, "1"]`, "wrong-type", `$.path[1]: expected an integer from 0 to 9, found the string "1"`},
		{`"price": 7`, `"price": null`, "wrong-type", "$.price: expected an integer from 1 to 100, found null"},
		{`"tags": ["a", "b"]`, `"tags": ["a", 1]`, "wrong-type", "$.tags[1]: expected lower-case letters, found the number 1"},
		{`"later": {`, `"": 1, "later": {`, "wrong-type", `$.extra[""]: expected an object, found the number 1`},
		{`"later": {`, `"a b": null, "later": {`, "wrong-type", `$.extra["a b"]: expected an object, found null`},

		{`"size": -5`, `"size": -6`, "out-of-range", "$.size: expected an integer from -5 to 70, found the number -6"},
		{`"size": -5`, `"size": 71`, "out-of-range", "$.size: expected an integer from -5 to 70, found the number 71"},
		{`"size": -5`, `"size": 99999999999999999999`, "out-of-range", "$.size: expected an integer from -5 to 70, found the number 99999999999999999999"},
		{`"size": -5`, `"size": ` + strings.Repeat("9", 1000), "out-of-range", "$.size: expected an integer from -5 to 70, found a number of 1000 digits"},
		{`4611686018427387904`, `3`, "out-of-range", "$.warps: expected a power of two from 2 to 4611686018427387904, found the number 3"},
		{`4611686018427387904`, `1`, "out-of-range", "$.warps: expected a power of two from 2 to 4611686018427387904, found the number 1"},
		{`4611686018427387904`, `0`, "out-of-range", "$.warps: expected a power of two from 2 to 4611686018427387904, found the number 0"},
		{`4611686018427387904`, `-9223372036854775808`, "out-of-range", "$.warps: expected a power of two from 2 to 4611686018427387904, found the number -9223372036854775808"},
		{`"dims": [1, 2, 3]`, `"dims": [1, 2]`, "out-of-range", "$.dims: expected an array of 3 elements, found 2 elements"},
		{`"dims": [1, 2, 3]`, `"dims": [1, 2, 3, 4]`, "out-of-range", "$.dims: expected an array of 3 elements, found 4 elements"},
		{`"dims": [1, 2, 3]`, `"dims": [1, 2, 0]`, "out-of-range", "$.dims[2]: expected an integer from 1 to 9, found the number 0"},
		{`"path": [0]`, `"path": []`, "out-of-range", "$.path: expected an array of at least 1 element, found 0 elements"},

		{`"red"`, `"Red"`, "bad-value", `$.colour: expected one of "red", "green", found the string "Red"`},
		{`"soup"`, `"Soup\n"`, "bad-value", `$.dishes[0].name: expected lower-case letters, found the string "Soup\n"`},
		{`"soup"`, `"` + long + `"`, "bad-value", `$.dishes[0].name: expected lower-case letters, found the string "` + long[:60] + `"…`},

		{`"size": -5`, `"size": -5, "szie": 1`, "unknown-field", `$.szie: expected only the fields "version", "title", "size", "warps", "open", "colour", "code", "dims", "path", "tags", "dishes", "extra", "price", found an unknown field (did you mean "size"?)`},
		{`"name": "tea"`, `"name": "tea", "sugar": {}`, "unknown-field", `$.extra.known.sugar: expected only the fields "name", found an unknown field`},
		{`"size": -5`, `"Size": -5`, "unknown-field", `$.Size: expected only the fields "version", "title", "size", "warps", "open", "colour", "code", "dims", "path", "tags", "dishes", "extra", "price", found an unknown field (did you mean "size"?)`},
		{`"size": -5`, `"size": -5, "size": -5`, "duplicate-field", "$.size: expected one field of this name, found two"},
		{`"size": -5`, `"size": -5, "s\u0069ze": 1`, "duplicate-field", "$.size: expected one field of this name, found two"},
		{`"y": []`, `"y": [], "z": [0, {"a": 1, "a": 2}]`, "duplicate-field", "$.extra.later.z[1].a: expected one field of this name, found two"},

		{`"size": -5`, `"size": 13`, "inconsistent", "$.size: expected not 13, found 13"},
	} {
		_, err := menus.Parse([]byte(change(t, test.old, test.new)))
		expectProblem(t, err, test.code, test.want)
	}
}

// expectProblem checks an error's code, text and cause.
func expectProblem(t *testing.T, err error, code, want string) {
	t.Helper()
	var e *diag.Error
	var p *Problem
	if !errors.As(err, &e) || !errors.As(err, &p) || e.Category != diag.Schema {
		t.Errorf("%v is no SchemaError; want %s", err, want)
		return
	}
	if e.Code != code || e.Msg != want || p.Error() != want {
		t.Errorf("%s: %s\nwant %s: %s", e.Code, e.Msg, code, want)
	}
}

func TestParseRefusesTexts(t *testing.T) {
	for _, test := range []struct{ text, code, want string }{
		{"", "not-json", "$: expected a JSON text, found nothing"},
		{" \n", "not-json", "$: expected a JSON text, found nothing"},
		{"null", "wrong-type", "$: expected an object, found null"},
		{"[]", "wrong-type", "$: expected an object, found an array of 0 elements"},
		{`"x"`, "wrong-type", `$: expected an object, found the string "x"`},
		{"{}", "missing-field", "$.version: expected the version 3, found nothing"},
		{`{"version": 3`, "not-json", "$: expected a JSON text, found its end too early"},
		{`{"version":`, "not-json", "$.version: expected a JSON text, found its end too early"},
		{`{"size": [1, 2`, "not-json", "$.size: expected a JSON text, found its end too early"},
		{"{\n\t\"é\": x}", "not-json", `$["é"]: expected a JSON text, found an error at line 2, column 7: invalid character 'x' looking for beginning of value`},
		{`{"a" 1}`, "not-json", "$.a: expected a JSON text, found an error at line 1, column 6: invalid character '1' after object key"},
		{good + "x", "trailing-data", "$: expected the end of the text after the document, found more at line 31, column 1"},
		{good + good, "trailing-data", "$: expected the end of the text after the document, found more at line 31, column 1"},
		{"{\"title\": \"\xff\"}", "not-json", "$: expected a JSON text, found bytes that are not UTF-8"},
		{strings.Repeat("[", 33), "too-deep", "$" + strings.Repeat("[0]", 32) + ": expected at most 32 arrays and objects in each other, found more"},
		{strings.Repeat("[", 100000), "too-deep", "$" + strings.Repeat("[0]", 32) + ": expected at most 32 arrays and objects in each other, found more"},
		{strings.Repeat(" ", 1<<20) + "{}", "too-large", "$: expected at most 1048576 bytes, found 1048578"},
	} {
		_, err := menus.Parse([]byte(test.text))
		expectProblem(t, err, test.code, test.want)
	}
	for _, text := range []string{"[1,]", "[1 2]", "[,1]", `{"a":1,}`, `{"a":1 "b":2}`, `{1:2}`, `{"a"}`, `{a:1}`, "1.", "+1", ".5", "NaN", "'a'", "\"\t\"", `"\x"`, "tru", "]", "//\n{}"} {
		for _, text := range []string{text, `{"version": 3, "x": ` + text + "}"} {
			if _, err := menus.Parse([]byte(text)); !errors.Is(err, diag.Schema) || !strings.Contains(err.Error(), "expected a JSON text") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestEncodeRefuses: nothing is written that would not be read.
func TestEncodeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		spoil      func(*menu)
		code, want string
	}{
		"a zero value": {func(m *menu) { m.Version = 0 }, "unknown-version", "$.version: expected the version 3, found the number 0"},
		"a range":      {func(m *menu) { m.Size = 100 }, "out-of-range", "$.size: expected an integer from -5 to 70, found the number 100"},
		"no elements":  {func(m *menu) { m.Path = nil }, "out-of-range", "$.path: expected an array of at least 1 element, found 0 elements"},
		"not UTF-8":    {func(m *menu) { m.Title = "\xff" }, "bad-value", "$.title: expected a string, found a string that is not UTF-8"},
		"no JSON": {func(m *menu) { m.Extra.Others["x"] = json.RawMessage("{") }, "bad-value",
			"$.extra.x: expected an object in JSON, found something else (SchemaError: $: expected a JSON text, found its end too early)"},
		"no object":    {func(m *menu) { m.Extra.Others["x"] = json.RawMessage("1") }, "wrong-type", "$.extra.x: expected an object, found the number 1"},
		"a name twice": {func(m *menu) { m.Extra.Others["known"] = json.RawMessage("{}") }, "duplicate-field", "$.extra.known: expected one field of this name, found two"},
		"the check":    {func(m *menu) { m.Size = 13 }, "inconsistent", "$.size: expected not 13, found 13"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := menus.Parse([]byte(good))
			if err != nil {
				t.Fatal(err)
			}
			test.spoil(m)
			text, err := menus.Encode(m)
			if text != nil {
				t.Errorf("wrote %s", text)
			}
			expectProblem(t, err, test.code, test.want)
		})
	}
}

// TestRoundTrip: what is encoded is read as the same value, and encoded as the same text.
func TestRoundTrip(t *testing.T) {
	code := rapid.StringMatching(`[a-z]{1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		m := &menu{
			Version: 3,
			Title:   rapid.String().Draw(t, "title"),
			Size:    rapid.IntRange(14, 70).Draw(t, "size"),
			Warps:   1 << rapid.IntRange(1, 62).Draw(t, "warps"),
			Open:    rapid.Bool().Draw(t, "open"),
			Colour:  rapid.SampledFrom([]string{"red", "green"}).Draw(t, "colour"),
			Code:    code.Draw(t, "code"),
			Dims:    [3]int(rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(t, "dims")),
			Path:    rapid.SliceOfN(rapid.IntRange(0, 9), 1, 4).Draw(t, "path"),
			Tags:    rapid.SliceOf(code).Draw(t, "tags"),
			Dishes:  rapid.SliceOf(rapid.Map(code, func(s string) dish { return dish{s} })).Draw(t, "dishes"),
		}
		if rapid.Bool().Draw(t, "known") {
			m.Extra.Known = &dish{code.Draw(t, "name")}
		}
		if n := rapid.IntRange(0, 100).Draw(t, "price"); n > 0 {
			m.Price = &n
		}
		text, err := menus.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := menus.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v became %+v", m, again)
		}
		if text2, err := menus.Encode(again); err != nil || string(text2) != string(text) {
			t.Fatalf("%s\nthen\n%s", text, text2)
		}
	})
}

// TestEncodeEmpty: slices that are nil are empty arrays, and what is optional may be absent.
func TestEncodeEmpty(t *testing.T) {
	text, err := menus.Encode(&menu{Version: 3, Warps: 2, Colour: "red", Code: "x", Dims: [3]int{1, 1, 1}, Path: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tags": [],`, `"dishes": [],`, `"extra": {}` + "\n}"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestTags: a mistake in a type is found when the program starts.
func TestTags(t *testing.T) {
	for name, make := range map[string]func(){
		"no name": func() { New[struct{ A int }](Options{}, nil) },
		"an option": func() {
			New[struct {
				A int `json:"a,omitempty"`
			}](Options{}, nil)
		},
		"an unknown tag": func() {
			New[struct {
				A int `json:"a" schema:"maximum=1"`
			}](Options{}, nil)
		},
		"no number": func() {
			New[struct {
				A int `json:"a" schema:"max=x"`
			}](Options{}, nil)
		},
		"an unknown format": func() {
			New[struct {
				A string `json:"a" schema:"format=x"`
			}](Options{}, nil)
		},
		"too large an int": func() {
			New[struct {
				A int `json:"a" schema:"max=2147483648"`
			}](Options{}, nil)
		},
		"a float": func() {
			New[struct {
				A float64 `json:"a"`
			}](Options{}, nil)
		},
		"a map": func() {
			New[struct {
				A map[string]int `json:"a"`
			}](Options{}, nil)
		},
		"a rest of integers": func() {
			New[struct {
				A map[string]int `schema:"rest"`
			}](Options{}, nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			make()
		}()
	}
}

// FuzzTree: what can be read is printed as a text that is read as the same.
func FuzzTree(f *testing.F) {
	f.Add([]byte(good))
	for _, s := range []string{"", "[]", "{}", `{"a":[1,-0.5e+7,"\ud800",null,true]}`, `[[[`, `{"a":1,"a":2}`, "\"\u2028\"", "1 2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := parse(text)
		if err != nil {
			if !errors.Is(err, diag.Schema) {
				t.Fatalf("%v is no SchemaError", err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted", text)
		}
		for _, printed := range [][]byte{n.print(), n.compact()} {
			again, err := parse(printed)
			if err != nil {
				t.Fatalf("%q is printed as %q: %v", text, printed, err)
			}
			if !reflect.DeepEqual(n, again) {
				t.Fatalf("%q is printed as %q, which is not the same", text, printed)
			}
		}
	})
}
