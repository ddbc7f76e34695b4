//! Resource names.
use crate::{Error, Result};

/// Of a namespace, from its id or its name.
pub(crate) fn namespace_name(namespace: &str) -> String {
    if namespace.starts_with("namespaces/") { namespace.into() } else { format!("namespaces/{namespace}") }
}

const NAMESPACE_BYTES_MAX: usize = 63;

/// The id of the namespace in a resource name, as text of a header; none where there is none, or none that can be.
pub(crate) fn namespace_header(name: &str) -> Option<&str> {
    let id = name.strip_prefix("namespaces/")?.split('/').next()?;
    let is_first = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let is_valid = |byte: u8| is_first(&byte) || matches!(byte, b'.' | b'_' | b'-');
    let is_id =
        id.len() <= NAMESPACE_BYTES_MAX && id.as_bytes().first().is_some_and(is_first) && id.bytes().all(is_valid);
    is_id.then_some(id)
}

/// Refuses a resource name with a namespace that the server would refuse: it would name the field `parent`, which no caller
/// sets.
pub(crate) fn check_namespace(name: &str) -> Result<()> {
    let Some(id) = name.strip_prefix("namespaces/").and_then(|rest| rest.split('/').next()) else { return Ok(()) };
    if namespace_header(name).is_some() {
        return Ok(());
    }
    let mut proposal = String::new();
    for c in id.to_lowercase().chars() {
        let is_of_id = c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
        if is_of_id || !proposal.ends_with('-') {
            proposal.push(if is_of_id { c } else { '-' });
        }
    }
    let proposal = proposal.trim_matches(['.', '_', '-']);
    let proposal = &proposal[..proposal.len().min(NAMESPACE_BYTES_MAX)];
    let meant = if proposal.is_empty() { String::new() } else { format!("; did you mean {proposal:?}?") };
    let description = format!("must be [a-z0-9] and up to 62 more of [a-z0-9._-], got {id:?}{meant}");
    Err(Error::bad_input("namespace", description))
}

/// Of a memory, from its id in a namespace or its full name.
pub(crate) fn memory_name(namespace: &str, id_or_name: &str) -> String {
    if id_or_name.contains('/') {
        id_or_name.into()
    } else {
        format!("{}/memories/{id_or_name}", namespace_name(namespace))
    }
}

/// Of a session, from its id, which may hold slashes, or its full name.
pub(crate) fn session_name(namespace: &str, id: &str) -> String {
    if id.starts_with("namespaces/") { id.into() } else { format!("{}/sessions/{id}", namespace_name(namespace)) }
}

fn id_of_conversation(name: &str) -> Option<&str> {
    name.strip_prefix("namespaces/")?.split_once("/conversations/").map(|(_, id)| id)
}

/// Of a conversation, from its id, which may hold slashes, or its full name.
pub(crate) fn conversation_name(namespace: &str, id: &str) -> String {
    match id_of_conversation(id) {
        Some(_) => id.into(),
        None => format!("{}/conversations/{id}", namespace_name(namespace)),
    }
}

/// The id of a conversation, from itself or its full name.
pub(crate) fn conversation_id(id_or_name: &str) -> String {
    id_of_conversation(id_or_name).unwrap_or(id_or_name).into()
}

/// The id of a memory out of `namespaces/{namespace}/memories/{id}`; empty where there is none.
pub(crate) fn id_of(name: &str) -> String {
    name.split('/').nth(3).unwrap_or_default().into()
}

pub(crate) fn ids_of(names: &[String]) -> Vec<String> {
    names.iter().map(|name| id_of(name)).collect()
}

pub(crate) fn namespace_of(name: &str) -> String {
    name.split('/').nth(1).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::namespace_header;

    #[test]
    fn the_header_has_an_id_that_a_namespace_can_have() {
        let longest = "a".repeat(63);
        for id in ["a", "0", "a.b_c-d", &longest] {
            assert_eq!(namespace_header(&format!("namespaces/{id}")), Some(id));
            assert_eq!(namespace_header(&format!("namespaces/{id}/memories/x")), Some(id));
        }
        for name in ["", "a", "namespaces/", "namespaces/-a", "namespaces/.a", "namespaces/A", "namespaces/a b"] {
            assert_eq!(namespace_header(name), None, "{name}");
        }
        assert_eq!(namespace_header(&format!("namespaces/{longest}a")), None);
    }
}
