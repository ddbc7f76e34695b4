//! Conditions on memories: `field::kind().equals("fact")`, [`path`], [`within`] and their combinations.
use crate::json::json_of;
use crate::memory::{GeoPoint, Point};
use crate::pb::{self, MemoryField, Operator, comparison::Target, filter::Node, place_filter::Area as AreaNode, value};
use crate::time::stamp;
use crate::words::Tier;
use crate::{Error, Result};
use jiff::Timestamp;
use serde::Serialize;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

/// A condition on memories, typed or as text such as `type = "state" AND step >= 10`.
///
/// ```
/// use mneme_client::filter::{field, path};
///
/// let typed = field::kind().equals("fact") & !field::tag().is_in(["old", "wrong"]);
/// let room = path("position.room").equals("kitchen") | path("position.x").less(3.5);
/// let both = (typed & room).clone();
/// let text = mneme_client::Filter::from(r#"type = "fact" AND importance > 0.5"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Filter(Form);

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Made(pb::Filter),
    Text(String),
    /// Told when it is used.
    Fault(Error),
}

impl Filter {
    fn node(node: Node) -> Self {
        Self(Form::Made(pb::Filter { node: Some(node) }))
    }

    /// The text that it was made of.
    pub fn as_text(&self) -> Option<&str> {
        if let Form::Text(text) = &self.0 { Some(text) } else { None }
    }

    pub(crate) fn of_message(made: Option<pb::Filter>, text: String) -> Option<Self> {
        if text.is_empty() { made.map(|made| Self(Form::Made(made))) } else { Some(text.into()) }
    }

    fn combined(filters: impl IntoIterator<Item = Self>, node: fn(pb::FilterList) -> Node) -> Self {
        let filters: Result<Vec<_>> = filters.into_iter().map(Self::made).collect();
        match filters {
            Ok(filters) => Self::node(node(pb::FilterList { filters })),
            Err(error) => Self(Form::Fault(error)),
        }
    }

    fn made(self) -> Result<pb::Filter> {
        match self.0 {
            Form::Made(made) => Ok(made),
            Form::Fault(error) => Err(error),
            Form::Text(_) => {
                Err(Error::bad_input("filter", "a text cannot be combined with others: write it all as text"))
            }
        }
    }
}

/// The fields of a request that say which memories: the typed filter, and the text.
pub(crate) fn filter_fields(filter: Option<&Filter>) -> Result<(Option<pb::Filter>, String)> {
    match filter.map(|filter| &filter.0) {
        None => Ok((None, String::new())),
        Some(Form::Made(made)) => Ok((Some(made.clone()), String::new())),
        Some(Form::Text(text)) => Ok((None, text.clone())),
        Some(Form::Fault(error)) => Err(error.clone()),
    }
}

impl From<&str> for Filter {
    fn from(text: &str) -> Self {
        Self(Form::Text(text.into()))
    }
}

impl From<String> for Filter {
    fn from(text: String) -> Self {
        Self(Form::Text(text))
    }
}

/// Texts as they are; typed filters as the debug form of their message.
impl Serialize for Filter {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Text(text) => serializer.serialize_str(text),
            other => serializer.serialize_str(&format!("{other:?}")),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Filter {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// True when every one of the filters is.
pub fn all_of(filters: impl IntoIterator<Item = Filter>) -> Filter {
    Filter::combined(filters, Node::All)
}

/// True when at least one of the filters is.
pub fn any_of(filters: impl IntoIterator<Item = Filter>) -> Filter {
    Filter::combined(filters, Node::Any)
}

/// True when the filter is not.
pub fn negate(filter: Filter) -> Filter {
    match filter.made() {
        Ok(filter) => Filter::node(Node::Negate(Box::new(filter))),
        Err(error) => Filter(Form::Fault(error)),
    }
}

impl BitAnd for Filter {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        all_of([self, other])
    }
}

impl BitOr for Filter {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        any_of([self, other])
    }
}

impl Not for Filter {
    type Output = Self;
    fn not(self) -> Self {
        negate(self)
    }
}

/// What a field can be compared with.
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
    Number: i64 => |number| whole(number).value();
    Time: Timestamp => |time| time.value();
}

/// Numbers are compared as the server has them: whole ones exactly up to 2^53.
#[allow(clippy::cast_precision_loss)]
fn whole(number: i64) -> f64 {
    number as f64
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

/// What can be asked of a field. A memory without the field satisfies none of it, only its negation.
#[derive(Debug, Clone)]
pub struct Field<Kind> {
    target: Target,
    ignore_case: bool,
    kind: PhantomData<Kind>,
}

impl<Kind> Field<Kind> {
    fn new(target: Target) -> Self {
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

/// A value in JSON content: keys joined by dots, such as `position.room`; `\.` stands for a dot inside a key. Arrays are
/// looked through; a whole number also picks the element at that index. Values of different types are never equal, nor
/// before or after one another.
pub fn path(dotted: &str) -> Field<kinds::Json> {
    Field::new(Target::Path(dotted.into()))
}

/// The fields of a memory, to be compared.
pub mod field {
    use super::{Field, MemoryField, Target, kinds};

    macro_rules! fields {
        ($($kind:ident: $($name:ident = $code:ident),*;)*) => {
            $($(
                #[doc = concat!("The field `", stringify!($code), "`, as text filters name it in snake case.")]
                pub fn $name() -> Field<kinds::$kind> {
                    Field::new(Target::Field(MemoryField::$code as i32))
                }
            )*)*
        };
    }

    fields! {
        Text: id = Id, project = Project, agent_type = AgentType, agent = Agent, session = Session, kind = Type, tier = Tier,
            tag = Tag, text = Text, speaker = Speaker, source_uri = SourceUri, source_origin = SourceOrigin,
            location = Location, room = Room, region = Region, media_type = MediaType, superseded_by = SupersededBy;
        Number: step = Step, importance = Importance, priority = Priority, retrieval_count = RetrievalCount,
            version = Version;
        Time: event_time = EventTime, create_time = CreateTime, update_time = UpdateTime,
            last_access_time = LastAccessTime, expire_time = ExpireTime, valid_from = ValidFrom, valid_until = ValidUntil;
    }
}

/// Where something happened: a circle or box in one's own world or on Earth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Area {
    /// Around a point.
    Circle {
        /// Its middle.
        point: Point,
        /// In the unit of the world.
        radius: f64,
    },
    /// Between two corners.
    Box {
        /// The corner of the least coordinates.
        low: Point,
        /// The corner of the greatest coordinates.
        high: Point,
    },
    /// Around a point on Earth.
    GeoCircle {
        /// Its middle.
        geo: GeoPoint,
        /// In metres.
        radius_m: f64,
    },
    /// Between two corners on Earth.
    GeoBox {
        /// One corner.
        south_west: GeoPoint,
        /// The other one.
        north_east: GeoPoint,
    },
}

/// True of memories with a place inside the area; its edges are inside.
pub fn within(area: Area) -> Filter {
    let area = match area {
        Area::Circle { point, radius } => AreaNode::PointRadius(pb::PointRadius { center: Some(point.into()), radius }),
        Area::Box { low, high } => AreaNode::PointBox(pb::PointBox { low: Some(low.into()), high: Some(high.into()) }),
        Area::GeoCircle { geo, radius_m } => AreaNode::GeoRadius(pb::GeoRadius { center: Some(geo.into()), radius_m }),
        Area::GeoBox { south_west, north_east } => {
            AreaNode::GeoBox(pb::GeoBox { south_west: Some(south_west.into()), north_east: Some(north_east.into()) })
        }
    };
    Filter::node(Node::Place(pb::PlaceFilter { area: Some(area) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_compared_is_told_when_the_filter_is_used() {
        let filter = field::kind().equals("fact") & field::importance().greater(f64::NAN);
        let error = filter_fields(Some(&filter)).expect_err("NaN");
        assert_eq!(error.violations()[0].field, "filter");
    }

    #[test]
    fn expressions_become_messages() {
        let filter = !(path("a.b").equals(3) | path("a").equals([1, 2]));
        let (made, text) = filter_fields(Some(&filter)).expect("a filter");
        assert!(text.is_empty());
        let Some(Node::Negate(negated)) = made.expect("typed").node else { panic!("negated") };
        let Some(Node::Any(any)) = negated.node else { panic!("any") };
        assert_eq!(any.filters.len(), 2);
    }
}
