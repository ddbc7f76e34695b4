//! Makes the stubs of the Rust client from a descriptor set: `mneme-codegen IMAGE FOLDER`. Needs no protoc.
mod calls;

use prost::Message;
use prost_types::FileDescriptorSet;
use std::path::Path;
use std::{env, fs};

fn main() {
    let mut arguments = env::args().skip(1);
    let (Some(image), Some(folder)) = (arguments.next(), arguments.next()) else {
        panic!("usage: mneme-codegen IMAGE FOLDER");
    };
    let bytes = fs::read(&image).expect("the image can be read");
    let mut set = FileDescriptorSet::decode(&*bytes).expect("the image is a descriptor set");
    set.file.retain(|file| !file.package().starts_with("grpc."));
    fs::write(Path::new(&folder).join("calls.rs"), calls::traits(&set)).expect("calls.rs can be written");
    fs::write(Path::new(&folder).join("rpcs.rs"), calls::by_name(&set)).expect("rpcs.rs can be written");

    tonic_prost_build::configure()
        .build_server(false)
        .extern_path(".google.rpc", "::tonic_types::pb")
        .out_dir(&folder)
        .compile_fds(set)
        .expect("the stubs can be generated");
    // Errors are those of the crate tonic-types.
    let _ = fs::remove_file(Path::new(&folder).join("google.rpc.rs"));
}
