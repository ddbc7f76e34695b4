package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

// unsupportedError is something that the language cannot say.
type unsupportedError string

func (u unsupportedError) Error() string { return string(u) }

var (
	acronyms  = strings.NewReplacer("IDs", "Ids", "ID", "Id", "URI", "Uri", "TTL", "Ttl", "JSON", "Json")
	wordStart = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	timeType  = reflect.TypeFor[time.Time]()
	spanType  = reflect.TypeFor[time.Duration]()
)

func snake(name string) string {
	return strings.ToLower(wordStart.ReplaceAllString(acronyms.Replace(name), "${1}_${2}"))
}

// expanded puts $repeat and $sequence in full, which may stand anywhere.
func expanded(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = expanded(value[i])
		}
	case object:
		count, _ := strconv.Atoi(fmt.Sprint(value["count"]))
		if text, is := value["$repeat"].(string); is {
			return strings.Repeat(text, count)
		}
		if of, is := value["$sequence"]; is {
			text, _ := json.Marshal(of)
			list := make([]any, count)
			for i := range list {
				decoder := json.NewDecoder(strings.NewReader(strings.ReplaceAll(string(text), "#", strconv.Itoa(i))))
				decoder.UseNumber()
				if err := decoder.Decode(&list[i]); err != nil {
					panic(err)
				}
				list[i] = expanded(list[i])
			}
			return list
		}
		for key := range value {
			value[key] = expanded(value[key])
		}
		return value
	case nil:
		return nil
	}
	return value
}

// decoded converts arguments of a call: fields by their names in snake case, others are left alone.
func decoded[T any](from object) (into T) {
	decode(from, reflect.ValueOf(&into).Elem())
	return into
}

func durationOf(value any) time.Duration {
	switch value {
	case "never":
		return mneme.Never
	case "keep":
		return mneme.KeepTTL
	}
	ms, err := value.(json.Number).Float64()
	if err != nil {
		panic(err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}

func timeOf(value any) time.Time {
	if special, is := value.(object); is {
		if _, naive := special["$naive_time"]; naive {
			panic(unsupportedError("a time.Time is an instant: it has no zone to be left out"))
		}
		value = special["$time"]
	}
	at, err := time.Parse(time.RFC3339Nano, value.(string))
	if err != nil {
		panic(err)
	}
	return at
}

func numberOf(value any) float64 {
	if special, is := value.(object); is {
		if _, nan := special["$nan"]; nan {
			return math.NaN()
		}
		if _, inf := special["$inf"]; inf {
			return math.Inf(1)
		}
	}
	f, err := value.(json.Number).Float64()
	if err != nil {
		panic(err)
	}
	return f
}

func decode(from any, into reflect.Value) {
	switch into.Type() {
	case timeType:
		into.Set(reflect.ValueOf(timeOf(from)))
		return
	case reflect.TypeFor[mneme.Filter]():
		into.Set(reflect.ValueOf(filterOf(from)))
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		decode(from, into.Elem())
	case reflect.String:
		into.SetString(from.(string))
	case reflect.Bool:
		into.SetBool(from.(bool))
	case reflect.Int, reflect.Int32, reflect.Int64:
		number, err := strconv.ParseInt(string(from.(json.Number)), 10, 64)
		if err != nil {
			number = int64(numberOf(from))
		}
		into.SetInt(number)
	case reflect.Float32, reflect.Float64:
		into.SetFloat(numberOf(from))
	case reflect.Slice:
		if special, is := from.(object); is {
			if _, is := special["$other"]; is {
				panic(unsupportedError("a []float32 holds nothing but numbers"))
			}
			from = special["$float32"]
		}
		list := from.([]any)
		into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
		for i, each := range list {
			decode(each, into.Index(i))
		}
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		for key, each := range from.(object) {
			value := reflect.New(into.Type().Elem()).Elem()
			decode(each, value)
			into.SetMapIndex(reflect.ValueOf(key), value)
		}
	case reflect.Struct:
		decodeStruct(from.(object), into)
	case reflect.Interface:
		if value := plain(from); value != nil {
			into.Set(reflect.ValueOf(value))
		}
	}
}

func decodeStruct(from object, into reflect.Value) {
	for i := range into.NumField() {
		field, value := into.Type().Field(i), into.Field(i)
		if field.Anonymous {
			decodeStruct(from, value)
			continue
		}
		name := snake(field.Name)
		switch {
		case field.Type == spanType:
			if given, has := from[name+"_ms"]; has {
				value.SetInt(int64(durationOf(given)))
			}
		case field.Type == reflect.TypeFor[mneme.TraceContext]():
			decodeStruct(from, value)
		case field.Type.Kind() == reflect.Func:
		case field.Type.Kind() == reflect.Interface && from[name] != nil:
			value.Set(reflect.ValueOf(contentOf(from[name])))
		case from[name] != nil:
			decode(from[name], value)
		}
	}
}

// contentOf is a Content, or a plain value of the language.
func contentOf(from any) any {
	given, is := from.(object)
	if !is {
		return plain(from)
	}
	if value, is := given["json"]; is {
		if value == nil {
			return json.RawMessage("null") // A nil is no content.
		}
		return plain(value)
	}
	mediaType, _ := given["media_type"].(string)
	if mediaType == "" {
		mediaType = "text/plain"
	}
	if data, is := given["data"].(object); is {
		bytes, err := base64.StdEncoding.DecodeString(data["$bytes"].(string))
		if err != nil {
			panic(err)
		}
		return mneme.Content{MediaType: mediaType, Data: bytes}
	}
	text, is := given["text"].(string)
	if !is {
		return plain(from)
	}
	return mneme.Content{MediaType: mediaType, Data: []byte(text)}
}

// plain is a value of the language for JSON: its keys are left as they are.
func plain(from any) any {
	switch from := from.(type) {
	case []any:
		list := make([]any, len(from))
		for i, each := range from {
			list[i] = plain(each)
		}
		return list
	case object:
		for _, special := range []string{"$nan", "$inf"} {
			if _, is := from[special]; is {
				return numberOf(from)
			}
		}
		if _, is := from["$unserializable"]; is {
			return make(chan int)
		}
		if levels, is := from["$deep"]; is {
			deep := []any{}
			for range int(numberOf(levels)) - 1 {
				deep = []any{deep}
			}
			return deep
		}
		if _, is := from["$cycle"]; is {
			cycle := object{}
			cycle["self"] = cycle
			return cycle
		}
		if _, is := from["$time"]; is {
			return timeOf(from)
		}
		values := object{}
		for key, each := range from {
			values[key] = plain(each)
		}
		return values
	case json.Number:
		if number, err := from.Int64(); err == nil {
			return number
		}
		return numberOf(from)
	}
	return from
}

var operators = map[string]string{
	"equals": "Equals", "in": "IsIn", "less": "Less", "less_or_equal": "LessOrEqual", "greater": "Greater",
	"greater_or_equal": "GreaterOrEqual", "contains": "Contains", "starts_with": "StartsWith", "matches": "Matches",
	"exists": "Exists", "is_null": "IsNull",
}

func filterOf(from any) mneme.Filter {
	if text, is := from.(string); is {
		return mneme.FilterText(text)
	}
	given := from.(object)
	all := func(list any) (filters []mneme.Filter) {
		for _, each := range list.([]any) {
			filters = append(filters, filterOf(each))
		}
		return filters
	}
	switch {
	case given["all"] != nil:
		return mneme.AllOf(all(given["all"])...)
	case given["any"] != nil:
		return mneme.AnyOf(all(given["any"])...)
	case given["not"] != nil:
		return mneme.Negate(filterOf(given["not"]))
	case given["within"] != nil:
		return mneme.Within(areaOf(given["within"].(object)))
	}
	var target any
	if path, is := given["path"].(string); is {
		target = mneme.Path(path)
	} else {
		target = whereOf(given["field"].(string))
	}
	compare := reflect.ValueOf(target).MethodByName(operators[given["op"].(string)])
	if !compare.IsValid() {
		panic(fmt.Errorf("no comparison %v", given["op"]))
	}
	return compared(compare, given)
}

func whereOf(name string) any {
	where := reflect.ValueOf(mneme.Where)
	for i := range where.NumField() {
		if snake(where.Type().Field(i).Name) == name {
			return where.Field(i).Interface()
		}
	}
	panic(fmt.Errorf("no field %s", name))
}

func compared(compare reflect.Value, given object) mneme.Filter {
	var arguments []reflect.Value
	kind := compare.Type()
	hasOption := kind.IsVariadic() && kind.In(kind.NumIn()-1) == reflect.TypeFor[[]mneme.TextOption]()
	values := kind.NumIn()
	if hasOption {
		values--
	}
	if values == 1 {
		value := reflect.New(kind.In(0)).Elem()
		if kind.In(0).Kind() == reflect.Interface {
			if made := plain(given["value"]); made != nil {
				value.Set(reflect.ValueOf(made))
			}
		} else {
			decode(given["value"], value)
		}
		arguments = append(arguments, value)
	}
	if hasOption && given["ignore_case"] == true {
		arguments = append(arguments, reflect.ValueOf(mneme.IgnoreCase))
	} else if kind.IsVariadic() && !hasOption {
		return compare.CallSlice(arguments)[0].Interface().(mneme.Filter)
	}
	return compare.Call(arguments)[0].Interface().(mneme.Filter)
}

func areaOf(given object) mneme.Area {
	switch {
	case given["point"] != nil:
		return decoded[mneme.PointRadius](given)
	case given["low"] != nil:
		return decoded[mneme.PointBox](given)
	case given["geo"] != nil:
		return decoded[mneme.GeoRadius](given)
	}
	return decoded[mneme.GeoBox](given)
}
