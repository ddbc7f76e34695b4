//! Conditions on memories: `field::kind().equals("fact")`, [`path`], [`within`] and their combinations.
use crate::memory::{GeoPoint, Point};
use crate::pb::{self, MemoryField, comparison::Target, filter::Node, place_filter::Area as AreaNode};
use crate::{Error, Result};
use serde::Serialize;
use std::ops::{BitAnd, BitOr, Not};

mod comparison;

pub use comparison::*;

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
    /// Reported when the filter is used.
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
        text.to_owned().into()
    }
}

/// An empty text is refused when the filter is used.
impl From<String> for Filter {
    fn from(text: String) -> Self {
        if text.trim().is_empty() {
            let description = "must not be an empty text; without a condition leave the filter out";
            return Self(Form::Fault(Error::bad_input("filter", description)));
        }
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

/// A value in JSON content: keys joined by dots, such as `position.room`; `\.` is a dot inside a key. Arrays are
/// searched; a whole number also selects the element at that index. Values of different types are never equal, nor
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

/// A circle or box in the agent's world or on Earth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged, deny_unknown_fields)]
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
    fn an_invalid_comparison_fails_when_the_filter_is_used() {
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
