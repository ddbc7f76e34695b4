//! Values to compare fields with.
use super::{Filter, Form};
use crate::json::json_of;
use crate::pb::{self, Operator, comparison::Target, filter::Node, value};
use crate::time::stamp;
use crate::words::Tier;
use crate::{Error, Result};
use jiff::Timestamp;
use serde::Serialize;
use std::marker::PhantomData;

/// A value to compare a field with.
pub trait Comparand {
    #[doc(hidden)]
    fn value(&self) -> Result<pb::Value>;
}

fn value_of(kind: value::Kind) -> pb::Value {
    pb::Value { kind: Some(kind) }
}

impl Comparand for str {
    fn value(&self) -> Result<pb::Value> {
        Ok(value_of(value::Kind::StringValue(self.into())))
    }
}

impl Comparand for f64 {
    fn value(&self) -> Result<pb::Value> {
        if !self.is_finite() {
            return Err(Error::bad_input("filter", format!("{self} is no number to compare with")));
        }
        Ok(value_of(value::Kind::NumberValue(*self)))
    }
}

impl Comparand for Timestamp {
    fn value(&self) -> Result<pb::Value> {
        Ok(value_of(value::Kind::TimeValue(stamp(*self))))
    }
}

impl Comparand for serde_json::Value {
    fn value(&self) -> Result<pb::Value> {
        match self {
            Self::String(text) => text.as_str().value(),
            Self::Bool(value) => Ok(value_of(value::Kind::BoolValue(*value))),
            Self::Number(number) if number.is_i64() || number.is_u64() => Ok(value_of(value::Kind::NumberText(number.to_string()))),
            Self::Number(number) if number.as_f64().is_some() => number.as_f64().unwrap_or_default().value(),
            other => Ok(value_of(value::Kind::JsonValue(json_of(other, "filter")?))),
        }
    }
}

/// Texts, numbers, instants or any JSON: the type of a field.
pub mod kinds {
    /// A text.
    #[derive(Debug, Clone, Copy)]
    pub struct Text;
    /// A number.
    #[derive(Debug, Clone, Copy)]
    pub struct Number;
    /// An instant.
    #[derive(Debug, Clone, Copy)]
    pub struct Time;
    /// A value of JSON.
    #[derive(Debug, Clone, Copy)]
    pub struct Json;
}

/// A value of the type of a field.
pub trait Comparable<Kind> {
    #[doc(hidden)]
    fn comparand(self) -> Result<pb::Value>;
}

macro_rules! comparable {
    ($($kind:ident: $type:ty => |$value:ident| $made:expr;)*) => {
        $(impl Comparable<kinds::$kind> for $type {
            fn comparand(self) -> Result<pb::Value> {
                let $value = self;
                $made
            }
        })*
    };
}

comparable! {
    Text: &str => |text| text.value();
    Text: String => |text| text.as_str().value();
    Text: &String => |text| text.as_str().value();
    Text: Tier => |tier| serde_json::to_value(tier).unwrap_or_default().value();
    Number: f64 => |number| number.value();
    Number: f32 => |number| f64::from(number).value();
    Number: i32 => |number| f64::from(number).value();
    Number: u32 => |number| f64::from(number).value();
    Number: i64 => |number| Ok(value_of(value::Kind::NumberText(number.to_string())));
    Time: Timestamp => |time| time.value();
}

/// Any value that JSON can carry.
impl<T: Serialize> Comparable<kinds::Json> for T {
    fn comparand(self) -> Result<pb::Value> {
        let json = json_of(&self, "filter")?;
        let value: serde_json::Value =
            serde_json::from_str(&json).map_err(|error| Error::bad_input("filter", error.to_string()))?;
        value.value()
    }
}

/// Comparisons for a field. A memory without the field satisfies none of them, only their negation.
#[derive(Debug, Clone)]
pub struct Field<Kind> {
    target: Target,
    ignore_case: bool,
    kind: PhantomData<Kind>,
}

impl<Kind> Field<Kind> {
    pub(super) fn new(target: Target) -> Self {
        Self { target, ignore_case: false, kind: PhantomData }
    }

    fn compare(self, op: Operator, values: impl IntoIterator<Item = Result<pb::Value>>) -> Filter {
        let values: Result<Vec<_>> = values.into_iter().collect();
        match values {
            Ok(values) => Filter::node(Node::Comparison(pb::Comparison {
                target: Some(self.target),
                op: op as i32,
                values,
                ignore_case: self.ignore_case,
            })),
            Err(error) => Filter(Form::Fault(error)),
        }
    }

    /// It is the value.
    pub fn equals(self, value: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::Equals, [value.comparand()])
    }

    /// It is one of the values.
    pub fn is_in<T: Comparable<Kind>>(self, values: impl IntoIterator<Item = T>) -> Filter {
        self.compare(Operator::In, values.into_iter().map(Comparable::comparand))
    }

    /// It is less than the value.
    pub fn less(self, value: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::Less, [value.comparand()])
    }

    /// It is the value or less.
    pub fn less_or_equal(self, value: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::LessOrEqual, [value.comparand()])
    }

    /// It is greater than the value.
    pub fn greater(self, value: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::Greater, [value.comparand()])
    }

    /// It is the value or greater.
    pub fn greater_or_equal(self, value: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::GreaterOrEqual, [value.comparand()])
    }

    /// It is there.
    pub fn exists(self) -> Filter {
        self.compare(Operator::Exists, [])
    }
}

/// Fields whose values may be texts.
pub trait Textual {}
impl Textual for kinds::Text {}
impl Textual for kinds::Json {}

impl<Kind: Textual> Field<Kind> {
    /// Texts are compared without regard to case.
    #[must_use]
    pub fn ignore_case(mut self) -> Self {
        self.ignore_case = true;
        self
    }

    /// A text contains a part of it; of JSON also an array its elements, and an object one with some of its keys and values.
    pub fn contains(self, part: impl Comparable<Kind>) -> Filter {
        self.compare(Operator::Contains, [part.comparand()])
    }

    /// A text begins so.
    pub fn starts_with(self, start: &str) -> Filter {
        self.compare(Operator::StartsWith, [start.value()])
    }

    /// A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference.
    pub fn matches(self, pattern: &str) -> Filter {
        self.compare(Operator::Matches, [pattern.value()])
    }
}

impl Field<kinds::Json> {
    /// It is a JSON null.
    pub fn is_null(self) -> Filter {
        self.compare(Operator::IsNull, [])
    }
}
