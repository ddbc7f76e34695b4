//! Values to compare fields with.
use super::{Filter, Form};
use crate::json::json_of;
use crate::pb::{self, Operator, comparison::Target, filter::Node, value};
use crate::time::stamp;
use crate::words::Tier;
use crate::{Error, Result};
use jiff::{Timestamp, civil::Date};
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

/// All of a day, to compare a time with: `Day::new(date(2026, 6, 10)).in_zone("Europe/Berlin")`. A plain
/// [`Date`] is a day in UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    date: Date,
    time_zone: String,
}

impl Day {
    /// A day in UTC.
    #[must_use]
    pub fn new(date: Date) -> Self {
        Self { date, time_zone: String::new() }
    }

    /// The day in a time zone, by its IANA name.
    #[must_use]
    pub fn in_zone(self, time_zone: impl Into<String>) -> Self {
        Self { time_zone: time_zone.into(), ..self }
    }

    fn value(self) -> pb::Value {
        value_of(value::Kind::DayValue(pb::Day { date: self.date.to_string(), time_zone: self.time_zone }))
    }
}

/// A double where that has the digits of the number, otherwise the digits themselves.
fn number(digits: &str) -> pb::Value {
    let double = digits.parse::<f64>().ok().filter(|double| double.is_finite());
    match double.filter(|double| decimal(&format!("{double:e}")) == decimal(digits)) {
        Some(double) => value_of(value::Kind::NumberValue(double)),
        None => value_of(value::Kind::NumberText(digits.into())),
    }
}

/// Sign, digits without zeros at either end, and the power of ten of the last digit: equal for equal numbers.
fn decimal(number: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let power = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(zeros)?;
    let significant = significant.trim_start_matches('0');
    let is_zero = significant.is_empty();
    Some((whole.starts_with('-') && !is_zero, significant.into(), if is_zero { 0 } else { power }))
}

/// A value by its JSON, whose digits are kept.
fn of_json(json: &str) -> Result<pb::Value> {
    let fault = |error: serde_json::Error| Error::bad_input("filter", error.to_string());
    Ok(match json.as_bytes().first() {
        Some(b'"') => value_of(value::Kind::StringValue(serde_json::from_str(json).map_err(fault)?)),
        Some(b't' | b'f') => value_of(value::Kind::BoolValue(json == "true")),
        Some(b'-' | b'0'..=b'9') => number(json),
        _ => value_of(value::Kind::JsonValue(json.into())),
    })
}

/// Texts, numbers, instants or any JSON: the type of a field.
pub mod kinds {
    /// A text.
    #[derive(Debug, Clone, Copy)]
    pub struct Text;
    /// A number.
    #[derive(Debug, Clone, Copy)]
    pub struct Number;
    /// An instant, or a whole day.
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
    Text: Tier => |tier| of_json(&json_of(&tier, "filter")?);
    Number: f64 => |number| number.value();
    Number: f32 => |number| f64::from(number).value();
    Number: i32 => |whole| Ok(number(&whole.to_string()));
    Number: u32 => |whole| Ok(number(&whole.to_string()));
    Number: i64 => |whole| Ok(number(&whole.to_string()));
    Number: u64 => |whole| Ok(number(&whole.to_string()));
    Number: i128 => |whole| Ok(number(&whole.to_string()));
    Number: u128 => |whole| Ok(number(&whole.to_string()));
    Time: Timestamp => |time| time.value();
    Time: Date => |date| Ok(Day::new(date).value());
    Time: Day => |day| Ok(day.value());
}

/// Any value that JSON can carry, such as an `i128`.
impl<T: Serialize> Comparable<kinds::Json> for T {
    fn comparand(self) -> Result<pb::Value> {
        of_json(&json_of(&self, "filter")?)
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
