//! Any unary method, by messages as protobuf JSON.
use crate::values::{Answer, Fault, driver_fault};
use mneme_client::raw::Unary;
use mneme_client::{Client, pb};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};
use serde_json::{Value, json};
use std::sync::LazyLock;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(&include_bytes!("../../../../gen/image.binpb")[..]).expect("the image is a descriptor set")
});

fn fault(error: impl std::fmt::Display) -> Fault {
    Fault::Driver(error.to_string())
}

fn method_of(name: &str) -> Option<MethodDescriptor> {
    let (service, method) = name.split_once('.')?;
    let service = POOL.get_service_by_name(&format!("mneme.v1.{service}"))?;
    service.methods().find(|each| each.name() == method)
}

pub async fn call(client: &Client, name: &str, request: Option<&Value>) -> Answer {
    let Some(method) = method_of(name) else { return driver_fault(format!("no method {name}")) };
    let request = request.cloned().unwrap_or_else(|| json!({}));
    let message = DynamicMessage::deserialize(method.input(), request).map_err(fault)?;
    let bytes = message.encode_to_vec();
    let Some(answer) = answered(client, name, &bytes).await else { return driver_fault(format!("no method {name}")) };
    let answer = DynamicMessage::decode(method.output(), &*answer?).map_err(fault)?;
    serde_json::to_value(&answer).map_err(fault)
}

async fn unary<R: Unary>(client: &Client, bytes: &[u8]) -> Answer<Vec<u8>> {
    let request = R::decode(bytes).map_err(fault)?;
    Ok(client.raw(request).await?.encode_to_vec())
}

async fn answered(client: &Client, name: &str, bytes: &[u8]) -> Option<Answer<Vec<u8>>> {
    include!("../../../../gen/rust/rpcs.rs")
}
