//! A type of the face together with how it is made from a message.

/// Defines a struct and its `From` for a message: `pub struct Receipt(pb::WriteReceipt as message) { … }`.
macro_rules! answer {
    ($(#[$meta:meta])* pub struct $name:ident($message:ty as $from:pat) {
        $($(#[$doc:meta])* pub $field:ident: $type:ty = $value:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[non_exhaustive]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }

        impl From<$message> for $name {
            fn from($from: $message) -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}
pub(crate) use answer;

/// The parts of a message that every answer has.
pub(crate) fn required<M, T: From<M>>(message: Option<M>, what: &str) -> crate::Result<T> {
    message.map(T::from).ok_or_else(|| crate::Error::incomplete(what))
}

pub(crate) fn all<M, T: From<M>>(messages: Vec<M>) -> Vec<T> {
    messages.into_iter().map(T::from).collect()
}

/// None where it is empty.
pub(crate) fn given(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
