package mneme

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// brokenText is the error for the first text of a message that is not UTF-8, by its path; nil where there is none. Protobuf
// refuses such a message, and names no field.
func brokenText(message proto.Message) *Error {
	if path := brokenIn(message.ProtoReflect(), ""); path != "" {
		return badInput(path, "must be valid UTF-8")
	}
	return nil
}

// brokenIn is empty where no text is broken.
func brokenIn(message protoreflect.Message, path string) (found string) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		at := string(field.Name())
		if path != "" {
			at = path + "." + at
		}
		switch {
		case field.IsMap():
			value.Map().Range(func(key protoreflect.MapKey, each protoreflect.Value) bool {
				if found = brokenValue(key.Value(), at); found == "" {
					found = brokenValue(each, fmt.Sprintf("%s.%v", at, key))
				}
				return found == ""
			})
		case field.IsList():
			for place := 0; place < value.List().Len() && found == ""; place++ {
				found = brokenValue(value.List().Get(place), fmt.Sprintf("%s[%d]", at, place))
			}
		default:
			found = brokenValue(value, at)
		}
		return found == ""
	})
	return found
}

func brokenValue(value protoreflect.Value, path string) string {
	switch value := value.Interface().(type) {
	case string:
		if !utf8.ValidString(value) {
			return path
		}
	case protoreflect.Message:
		return brokenIn(value, path)
	}
	return ""
}

// hasBrokenText is true of a value with a text or a key that is not UTF-8: encoding/json would replace what is wrong.
func hasBrokenText(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return !utf8.ValidString(value.String())
	case reflect.Pointer, reflect.Interface:
		return !value.IsNil() && hasBrokenText(value.Elem())
	case reflect.Slice, reflect.Array:
		for place := range value.Len() {
			if hasBrokenText(value.Index(place)) {
				return true
			}
		}
	case reflect.Map:
		for each := value.MapRange(); each.Next(); {
			if hasBrokenText(each.Key()) || hasBrokenText(each.Value()) {
				return true
			}
		}
	case reflect.Struct:
		for place := range value.NumField() {
			if value.Type().Field(place).IsExported() && hasBrokenText(value.Field(place)) {
				return true
			}
		}
	}
	return false
}
