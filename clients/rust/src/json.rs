//! JSON of a value; what JSON would turn into null without a word is refused.
use crate::{Error, Result};
use serde::ser::{self, Serialize, Serializer};
use std::fmt;

/// As deep as `serde_json` reads. A value that holds itself is deeper than any.
const DEPTH_MAX: u8 = 127;

/// `field` is the client's own name of where the value stands.
pub(crate) fn json_of<T: Serialize + ?Sized>(value: &T, field: &str) -> Result<String> {
    let fault = |error: &dyn fmt::Display| Error::bad_input(field, format!("cannot be carried by JSON: {error}"));
    value.serialize(Finite { depth: 0 }).map_err(|error| fault(&error))?;
    serde_json::to_string(value).map_err(|error| fault(&error))
}

/// Looks at every number of a value and how deep it is, and makes nothing of it.
struct Finite {
    depth: u8,
}

impl Finite {
    fn deeper(&self) -> Result<Self, NotFinite> {
        if self.depth == DEPTH_MAX {
            return Err(NotFinite(format!("it is more than {DEPTH_MAX} levels deep, or holds itself")));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

#[derive(Debug)]
struct NotFinite(String);

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotFinite {}

impl ser::Error for NotFinite {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Seen = Result<(), NotFinite>;

macro_rules! finite {
    ($($method:ident($type:ty)),*) => { $(fn $method(self, _: $type) -> Seen { Ok(()) })* };
}

impl Serializer for Finite {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    finite!(serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64));
    finite!(serialize_i128(i128), serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64));
    finite!(serialize_u128(u128), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]));
    finite!(serialize_unit_struct(&'static str));

    fn serialize_f32(self, value: f32) -> Seen {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Seen {
        if value.is_finite() { Ok(()) } else { Err(NotFinite(value.to_string())) }
    }

    fn serialize_none(self) -> Seen {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Seen {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Seen {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Seen {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Seen {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Seen {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, NotFinite> {
        self.deeper()
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, NotFinite> {
        self.deeper()
    }
}

macro_rules! members {
    ($($trait:ident::$method:ident($($key:ty)?)),*) => { $(
        impl ser::$trait for Finite {
            type Ok = ();
            type Error = NotFinite;
            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Seen { value.serialize(Finite { depth: self.depth }) }
            fn end(self) -> Seen { Ok(()) }
        }
    )* };
}

members!(
    SerializeSeq::serialize_element(),
    SerializeTuple::serialize_element(),
    SerializeTupleStruct::serialize_field(),
    SerializeTupleVariant::serialize_field(),
    SerializeStruct::serialize_field(&'static str),
    SerializeStructVariant::serialize_field(&'static str)
);

impl ser::SerializeMap for Finite {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Seen {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Seen {
        value.serialize(Self { depth: self.depth })
    }

    fn end(self) -> Seen {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_that_json_has_not_are_refused_wherever_they_stand() {
        let nested = BTreeMap::from([("a", vec![Some((1, 0.5)), Some((2, f64::NAN))])]);
        let error = json_of(&nested, "content").expect_err("NaN");
        assert_eq!(error.violations()[0].field, "content");
        assert!(json_of(&f32::INFINITY, "value").is_err());
        assert!(json_of(&BTreeMap::from([((1, 2), 3)]), "value").is_err(), "keys of JSON are texts");
    }

    #[test]
    fn a_cyclic_value_is_refused() {
        struct Cycle;
        impl Serialize for Cycle {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map([("self", Self)])
            }
        }
        let error = json_of(&Cycle, "content").expect_err("a cycle");
        assert!(error.message().contains("127 levels"), "{error}");
        let deep = (0..127).fold(json!(1), |inner, _| json!([inner]));
        assert!(json_of(&deep, "content").is_ok());
        assert!(json_of(&json!([deep]), "content").is_err());
    }

    #[test]
    fn all_else_is_json() {
        let value = json!({"a": [1, "b", null, 0.5, true], "c": {}});
        assert_eq!(json_of(&value, "content").expect("JSON"), value.to_string());
    }
}
