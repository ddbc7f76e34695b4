//! Which calls are repeated, and how often: the service config that the clients of all languages share.
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    method_config: Vec<MethodConfig>,
    retry_throttling: Throttling,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MethodConfig {
    name: Vec<Name>,
    retry_policy: Policy,
}

#[derive(Deserialize)]
struct Name {
    service: String,
    method: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Throttling {
    max_tokens: f64,
    token_ratio: f64,
}

/// How a method is retried.
#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Policy {
    pub max_attempts: u32,
    initial_backoff: String,
    max_backoff: String,
    backoff_multiplier: f64,
    retryable_status_codes: Vec<String>,
}

static CONFIG: LazyLock<Config> =
    LazyLock::new(|| serde_json::from_str(include_str!("service-config.json")).expect("the service config is JSON"));

static POLICIES: LazyLock<HashMap<String, &'static Policy>> = LazyLock::new(|| {
    let configs = CONFIG.method_config.iter();
    let named = configs.flat_map(|config| config.name.iter().map(|name| (name, &config.retry_policy)));
    named.map(|(name, policy)| (format!("/{}/{}", name.service, name.method), policy)).collect()
});

impl Policy {
    /// Of a method by its path; none where it is not repeated.
    pub(crate) fn of(path: &str) -> Option<&'static Self> {
        POLICIES.get(path).copied()
    }

    pub(crate) fn covers(&self, code: tonic::Code) -> bool {
        self.retryable_status_codes.iter().any(|each| each == crate::error::code_name(code))
    }

    /// A random wait before the attempt that follows so many failed ones.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        let factor = self.backoff_multiplier.powi(i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX));
        let limit = (seconds(&self.initial_backoff) * factor).min(seconds(&self.max_backoff));
        Duration::from_secs_f64(limit * fastrand::f64())
    }
}

/// Of a duration as JSON has it, such as `0.05s`.
fn seconds(text: &str) -> f64 {
    text.trim_end_matches('s').parse().unwrap_or_default()
}

/// Stops the retries of a connection whose calls mostly fail.
pub(crate) struct Throttle {
    /// In thousandths.
    tokens: AtomicI64,
}

#[allow(clippy::cast_possible_truncation)]
fn thousandths(tokens: f64) -> i64 {
    (tokens * 1000.0) as i64
}

impl Throttle {
    pub(crate) fn new() -> Self {
        Self { tokens: AtomicI64::new(thousandths(CONFIG.retry_throttling.max_tokens)) }
    }

    pub(crate) fn succeeded(&self) {
        self.add(thousandths(CONFIG.retry_throttling.token_ratio));
    }

    /// Whether there may be another attempt.
    pub(crate) fn failed(&self) -> bool {
        self.add(-1000) > thousandths(CONFIG.retry_throttling.max_tokens) / 2
    }

    fn add(&self, change: i64) -> i64 {
        let most = thousandths(CONFIG.retry_throttling.max_tokens);
        let changed = |tokens: i64| (tokens + change).clamp(0, most);
        let before = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tokens| Some(changed(tokens)));
        changed(before.unwrap_or(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_file_says_how_each_method_is_repeated() {
        let store = Policy::of("/mneme.v1.MemoryService/StoreMemory").expect("a policy");
        assert_eq!(store.max_attempts, 4);
        assert!(store.covers(tonic::Code::Unavailable));
        assert!(!store.covers(tonic::Code::Internal));
        assert!(store.wait(1) <= Duration::from_millis(50));
        assert!(store.wait(30) <= Duration::from_secs(1));
        assert!(Policy::of("/mneme.v1.MemoryService/ImportMemories").is_none());
    }

    #[test]
    fn a_connection_whose_calls_fail_repeats_none() {
        let throttle = Throttle::new();
        let allowed = (0..1000).take_while(|_| throttle.failed()).count();
        assert!(allowed > 0 && allowed < 1000);
    }
}
