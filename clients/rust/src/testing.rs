//! A server for tests: `mneme serve` on a free port with a temporary folder.
use crate::{Client, Error, Result, options::Connect};
use std::path::PathBuf;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tonic::Code;

/// A server of one's own. It is killed, and its data removed, when it is dropped.
///
/// ```no_run
/// # async fn example() -> mneme_client::Result<()> {
/// let server = mneme_client::testing::Server::start().await?;
/// let client = server.connect().namespace("test").await?;
/// client.store("The museum is closed on Mondays.").await?;
/// server.stop().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Server {
    address: String,
    child: Child,
    _data: TempDir,
}

/// Starts the program that the variable `MNEME_BIN` names, or `mneme` of the path: the same as [`Server::start`].
pub async fn start_server() -> Result<Server> {
    Server::start().await
}

fn failed(what: impl std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, format!("no server for tests: {what}"))
}

impl Server {
    /// Starts the program that the variable `MNEME_BIN` names, or `mneme` of the path.
    pub async fn start() -> Result<Self> {
        let program = std::env::var_os("MNEME_BIN").map_or_else(|| PathBuf::from("mneme"), PathBuf::from);
        Self::start_program(program, &[]).await
    }

    /// Starts a program with more arguments, such as `["--token", "secret"]`.
    pub async fn start_program(program: impl Into<PathBuf>, arguments: &[&str]) -> Result<Self> {
        let program = program.into();
        let data = tempfile::tempdir().map_err(failed)?;
        let mut child = Command::new(&program)
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path())
            .args(arguments)
            .env_remove("MNEME_BIN")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| {
                failed(format!("{}: {error}; the variable MNEME_BIN names the program", program.display()))
            })?;
        let output = child.stdout.take().ok_or_else(|| failed("it has no output"))?;
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next_line().await.map_err(failed)? {
            if let Some(address) = address_in(&line) {
                // What it prints later must go somewhere, or it would wait for a reader.
                tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                return Ok(Self { address, child, _data: data });
            }
        }
        Err(failed("it ended without telling its address"))
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A connection to it, to be awaited.
    pub fn connect(&self) -> Connect {
        Client::connect(&self.address)
    }

    /// Stops it and waits until it has ended.
    pub async fn stop(mut self) {
        let _ = self.child.kill().await;
    }
}

/// The address in a line such as `listening on 127.0.0.1:50051`.
fn address_in(line: &str) -> Option<String> {
    let start = line.find("127.0.0.1:")?;
    let address: String = line[start..].chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ':')).collect();
    Some(address.trim_end_matches(['.', ':']).to_owned())
}
