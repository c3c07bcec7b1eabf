package schema

import "slices"

// describeDocument gives the JSON Schema of a document.
func describeDocument(root *shape, o Options) node {
	var d describer
	n := object(
		member{"$schema", text("https://json-schema.org/draft/2020-12/schema")},
		member{"$id", text(o.ID)},
		member{"title", text(o.Title)},
		member{"description", text(o.Doc)},
	)
	n.members = append(n.members, d.object(root)...)
	defs := object()
	for i := 0; i < len(d.named); i++ { // describing one may find others
		defs.members = append(defs.members, member{d.named[i].name, object(d.object(d.named[i])...)})
	}
	if len(defs.members) > 0 {
		n.members = append(n.members, member{"$defs", defs})
	}
	return n
}

// A describer writes JSON Schemas.
type describer struct {
	named []*shape // the objects that are referred to, in the order that they were met
}

// object gives the members of an object's schema.
func (d *describer) object(s *shape) []member {
	properties, required := object(), array()
	for i := range s.fields {
		f := &s.fields[i]
		p := object()
		if f.doc != "" {
			p.members = append(p.members, member{"description", text(f.doc)})
		}
		p.members = append(p.members, d.value(f.shape)...)
		properties.members = append(properties.members, member{f.name, p})
		if !f.optional {
			required.elems = append(required.elems, text(f.name))
		}
	}
	additional := boolean(false)
	if s.rest >= 0 {
		additional = object(member{"type", text("object")})
	}
	return []member{
		{"type", text("object")},
		{"properties", properties},
		{"required", required},
		{"additionalProperties", additional},
	}
}

// value gives the members of the schema of a field or an element.
func (d *describer) value(s *shape) []member {
	switch s.kind {
	case kindObject:
		if !slices.Contains(d.named, s) {
			d.named = append(d.named, s)
		}
		return []member{{"$ref", text("#/$defs/" + s.name)}}
	case kindArray:
		return describeArray(s, d.value(s.elem))
	case kindNumber:
		return describeInteger(&s.rule)
	case kindString:
		return describeString(&s.rule)
	default:
		return []member{{"type", text("boolean")}}
	}
}

func describeArray(s *shape, elem []member) []member {
	m := []member{{"type", text("array")}, {"items", object(elem...)}}
	if n := s.rule.minItems; n > 0 {
		m = append(m, member{"minItems", number(int64(n))})
	}
	if n := s.rule.maxItems; n > 0 {
		m = append(m, member{"maxItems", number(int64(n))})
	}
	return m
}

func describeInteger(r *rule) []member {
	switch {
	case r.version:
		return []member{{"const", number(r.min)}}
	case r.pow2:
		var powers []node
		for n := int64(1); n > 0 && n <= r.max; n <<= 1 {
			if n >= r.min {
				powers = append(powers, number(n))
			}
		}
		return []member{{"enum", array(powers...)}}
	}
	return []member{{"type", text("integer")}, {"minimum", number(r.min)}, {"maximum", number(r.max)}}
}

func describeString(r *rule) []member {
	m := []member{{"type", text("string")}}
	if r.enum != nil {
		var values []node
		for _, s := range r.enum {
			values = append(values, text(s))
		}
		m = append(m, member{"enum", array(values...)})
	}
	if r.format != nil {
		m = append(m, member{"pattern", text(r.format.Pattern)})
	}
	return m
}
