//! The example agent prints what the example of every language prints, although its process is killed on the way.
use mneme_client::testing::start_server;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

async fn lines_of(address: &str, command: &str) -> Vec<String> {
    // Examples are built beside the folder of the tests.
    let test = std::env::current_exe().expect("a test has a file");
    let program = test.parent().and_then(|deps| deps.parent()).expect("folders").join("examples/agent");
    let mut child = Command::new(program)
        .args([address, command])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the example is built");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let mut printed = Vec::new();
    while let Some(line) = lines.next_line().await.expect("lines") {
        let is_paused = line.starts_with("paused: ");
        printed.push(line);
        if is_paused {
            child.kill().await.expect("it is killed");
        }
    }
    printed
}

#[tokio::test]
async fn it_goes_on_where_it_was() {
    let server = start_server().await.expect("a server");
    let mut printed = lines_of(server.address(), "work").await;
    printed.extend(lines_of(server.address(), "resume").await);
    let expected = include_str!("../../../example-output.txt");
    assert_eq!(printed, expected.lines().collect::<Vec<_>>());
}
