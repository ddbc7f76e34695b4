//! Serving the extractor of a namespace, against a real server.
use futures_util::TryStreamExt;
use futures_util::future::BoxFuture;
use mneme_client::testing::Server;
use mneme_client::{Client, ExtractedClaim, ExtractedMemories, ExtractionAnswer, ExtractionJob, ExtractorOptions};
use mneme_client::{Code, ConversationMessage, FactQuery, Result, StreamOptions};
use std::convert::Infallible;
use std::future::pending;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

const PATIENCE: Duration = Duration::from_secs(60);

async fn server(arguments: &[&str]) -> Result<Server> {
    let program = std::env::var_os("MNEME_BIN").unwrap_or_else(|| "mneme".into());
    Server::start_program(program, &[&["--extractor", "client"], arguments].concat()).await
}

async fn client(server: &Server) -> Result<Client> {
    server.connect().namespace("test").timeout(PATIENCE).await
}

/// The home of the user, which is the text of the only message.
fn home(job: &ExtractionJob) -> ExtractedMemories {
    let [message] = &job.messages[..] else { panic!("one message: {job:?}") };
    let claims = vec![ExtractedClaim::new("user", "home_city", message.text(), message.sequence)];
    ExtractedMemories { claims, ..ExtractedMemories::default() }
}

/// Says where the user lives, and waits until that is extracted.
async fn extracted(client: &Client, city: &str) -> Result<Vec<String>> {
    client.conversations().append("c", [ConversationMessage::user(city)], Default::default()).await?;
    assert!(client.conversations().flush(None).await?.complete);
    let facts: Vec<_> = client.facts().list(&FactQuery::default()).try_collect().await?;
    Ok(facts.into_iter().map(|fact| fact.value).collect())
}

/// Reports that the future that holds it is dropped.
struct Dropped(mpsc::UnboundedSender<i32>, i32);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

/// Numbers of the calls of a handler as they begin and as their futures are dropped.
struct Calls {
    begun: mpsc::UnboundedReceiver<i32>,
    dropped: mpsc::UnboundedReceiver<i32>,
}

/// Does not answer its first call.
fn hanging_at_first() -> (impl Fn(ExtractionJob) -> Handled + Send + Sync + Clone + 'static, Calls) {
    let (begins, begun) = mpsc::unbounded_channel();
    let (drops, dropped) = mpsc::unbounded_channel();
    let calls = Arc::new(AtomicI32::new(0));
    let handler = move |job: ExtractionJob| -> Handled {
        let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
        let dropped = Dropped(drops.clone(), call);
        let _ = begins.send(call);
        Box::pin(async move {
            let _dropped = dropped;
            if call == 1 { pending().await } else { Ok(home(&job)) }
        })
    };
    (handler, Calls { begun, dropped })
}

type Noted = Arc<Mutex<Vec<String>>>;
type Handled = BoxFuture<'static, Result<ExtractedMemories, Infallible>>;

#[tokio::test]
async fn errors_refusals_and_rejections_come_again_with_their_reason() -> Result<()> {
    let server = server(&[]).await?;
    let client = client(&server).await?;
    let (errors, rejected): (Noted, Noted) = Default::default();
    let (noted, reasons) = (errors.clone(), rejected.clone());
    let on_rejected = move |job: &ExtractionJob, reason: &str| {
        reasons.lock().expect("a lock").push(format!("{}: {reason}", job.conversation));
    };
    let extractor =
        ExtractorOptions { name: Some("m1".into()), max_jobs: Some(2), on_rejected: Some(Arc::new(on_rejected)) };
    let handler = move |job: ExtractionJob| {
        noted.lock().expect("a lock").push(job.last_error.clone());
        async move {
            let mut found = home(&job);
            match job.attempt {
                1 => return Err("the model is busy"),
                2 => return Ok(ExtractionAnswer::Refused("cannot read this".into())),
                3 => panic!("the handler is broken"),
                4 => found.claims[0].sources = vec![9],
                _ => {}
            }
            Ok(found.into())
        }
    };
    let mut served = client.conversations().serve_extractor(extractor, handler, StreamOptions::default()).await?;
    assert_eq!(served.extractor(), "client");
    assert_eq!(extracted(&client, "Bern").await?, ["Bern"]);
    served.stop();
    served.closed().await?;
    let errors = errors.lock().expect("a lock").clone();
    let expected = [
        "",
        "EXTRACTOR_UNAVAILABLE: client.m1: the model is busy",
        "EXTRACTION_INVALID: client.m1: cannot read this",
        "EXTRACTOR_UNAVAILABLE: client.m1: the handler panicked",
    ];
    assert_eq!(errors[..4], expected);
    assert!(errors[4].contains("sources[0]: must be"), "{errors:?}");
    let rejected = rejected.lock().expect("a lock").clone();
    assert!(rejected.len() == 1 && rejected[0].starts_with("c: "), "{rejected:?}");
    Ok(())
}

#[tokio::test]
async fn a_job_that_the_server_takes_back_drops_the_future_of_the_handler() -> Result<()> {
    let server = server(&["--extraction-timeout-ms", "1000"]).await?;
    let client = client(&server).await?;
    let (handler, mut calls) = hanging_at_first();
    let conversations = client.conversations();
    let _served = conversations.serve_extractor(ExtractorOptions::default(), handler, StreamOptions::default()).await?;
    assert_eq!(extracted(&client, "Bern").await?, ["Bern"]);
    assert_eq!(calls.dropped.recv().await, Some(1));
    Ok(())
}

#[tokio::test]
async fn a_stopped_extractor_leaves_its_jobs_to_others() -> Result<()> {
    let server = server(&["--max-extractor-clients", "1"]).await?;
    let client = client(&server).await?;
    let (handler, mut calls) = hanging_at_first();
    let conversations = client.conversations();
    let serve =
        || conversations.serve_extractor(ExtractorOptions::default(), handler.clone(), StreamOptions::default());
    let mut first = serve().await?;
    let error = serve().await.expect_err("one client at most");
    assert_eq!((error.code(), error.reason()), (Code::ResourceExhausted, Some("TOO_MANY_STREAMS")));
    let leaving = async {
        assert_eq!(calls.begun.recv().await, Some(1));
        first.stop();
        first.closed().await?;
        assert_eq!(calls.dropped.recv().await, Some(1));
        serve().await
    };
    let (facts, _served) = tokio::try_join!(extracted(&client, "Bern"), leaving)?;
    assert_eq!(facts, ["Bern"]);
    Ok(())
}

/// Passes connections on to the server until they are cut.
async fn road_to(server: &Server) -> (String, watch::Sender<u32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (cut, cuts) = watch::channel(0);
    let target = server.address().to_owned();
    tokio::spawn(async move {
        while let Ok((mut here, _)) = listener.accept().await {
            let mut cuts = cuts.clone();
            cuts.mark_unchanged();
            let target = target.clone();
            tokio::spawn(async move {
                let mut there = TcpStream::connect(target).await.expect("the server");
                tokio::select! {
                    _ = copy_bidirectional(&mut here, &mut there) => {}
                    _ = cuts.changed() => {}
                }
            });
        }
    });
    (address, cut)
}

#[tokio::test]
async fn an_extractor_is_served_again_when_its_stream_breaks() -> Result<()> {
    let server = server(&[]).await?;
    let (address, cut) = road_to(&server).await;
    let serving = Client::connect(address).namespace("test").await?;
    let (handler, mut calls) = hanging_at_first();
    let conversations = serving.conversations();
    let mut served =
        conversations.serve_extractor(ExtractorOptions::default(), handler, StreamOptions::default()).await?;
    let client = client(&server).await?;
    let breaking = async {
        assert_eq!(calls.begun.recv().await, Some(1));
        cut.send_replace(1);
        assert_eq!(calls.dropped.recv().await, Some(1));
        Ok(())
    };
    let (facts, ()) = tokio::try_join!(extracted(&client, "Bern"), breaking)?;
    assert_eq!(facts, ["Bern"]);
    serving.close().await;
    assert_eq!(served.closed().await.expect_err("its client is closed").code(), Code::Cancelled);
    Ok(())
}
