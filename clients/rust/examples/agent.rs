//! A small agent, the same in the clients of all languages: it stores, recalls, subscribes, keeps working memory, is
//! paused and killed, and continues. `clients/example-output.txt` is its output.
//!
//! `agent ADDRESS work` stays until it is killed; `agent ADDRESS resume` continues.
use futures_util::TryStreamExt;
use mneme_client::filter::field;
use mneme_client::{Client, GetOptions, NewMemory, PauseRequest, RecallQuery, Result, ResumeRequest, Scope};
use mneme_client::{SessionAction, SetOptions, SpawnRequest, StreamOptions, TaskProgress, TerminateRequest};

const PLACES: [&str; 4] = ["harbour", "market", "museum", "tower"];

struct Agent {
    client: Client,
    scope: Scope,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(command)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: agent ADDRESS work | resume");
        std::process::exit(2);
    };
    let client = Client::connect(address).namespace("city").await?;
    let scope = Scope {
        project: Some("city".into()),
        agent_type: Some("guide".into()),
        agent: Some("ada".into()),
        session: None,
    };
    let agent = Agent { client, scope };
    if command == "work" { agent.work().await } else { agent.resume().await }
}

impl Agent {
    async fn work(&self) -> Result<()> {
        let fact = |text: &str| NewMemory::text(text).kind("fact").scope(self.scope.clone());
        let facts = [
            fact("The harbour has boats to the island every hour."),
            fact("The market sells fish and bread in the morning."),
            fact("The museum is closed on Mondays.").tags(["closed"]),
            fact("The tower has 212 steps and a view of the city."),
        ];
        println!("stored {} memories", self.client.batch_store(&facts).await?.len());
        let question = RecallQuery { limit: Some(1), ..RecallQuery::from("When is the museum closed?") };
        println!("recalled: {}", self.client.recall(question).await?.hits[0].memory.text);
        self.follow_what_is_closed().await?;

        let tour =
            SpawnRequest { session_id: Some("tour".into()), scope: Some(self.scope.clone()), ..Default::default() };
        self.client.lifecycle().spawn(tour.value("seen", &Vec::<String>::new())?).await?;
        let task = TaskProgress {
            description: Some("plan a tour of the city".into()),
            total_steps: Some(4),
            ..TaskProgress::default()
        };
        self.client.session("tour").set_task_state(task, None).await?;
        self.visit(2).await?;
        let pause = PauseRequest { description: Some("a night of sleep".into()), ..PauseRequest::default() };
        println!("paused: {}", self.client.lifecycle().pause("tour", pause).await?.checkpoint.description);
        std::future::pending().await
    }

    /// A standing recall: its answer first, then the changes.
    async fn follow_what_is_closed(&self) -> Result<()> {
        let query = RecallQuery { filter: Some(field::tag().equals("closed")), ..RecallQuery::default() };
        let mut answers = self.client.subscribe(query, StreamOptions::default());
        while let Some(answer) = answers.try_next().await? {
            let Some(hit) = answer.entered.first() else { continue };
            if answer.hits.len() == 2 {
                println!("entered: {}", hit.memory.text);
                break;
            }
            println!("subscribed: {}", hit.memory.text);
            let news = NewMemory::text("The market is closed on Sundays.").kind("fact").tags(["closed"]);
            self.client.store(news.scope(self.scope.clone())).await?;
            println!("stored 1 memory");
        }
        Ok(())
    }

    async fn resume(&self) -> Result<()> {
        let resumed = self.client.lifecycle().resume("tour", ResumeRequest::default()).await?;
        let task = self.client.session("tour").get_task_state().await?;
        let (step, steps) = task.map(|task| (task.current_step, task.total_steps)).unwrap_or_default();
        let (checkpoint, count) = (resumed.checkpoint.description, resumed.restored_count);
        println!("resumed: {checkpoint}, {count} value, step {step} of {steps}");
        self.visit(2).await?;

        let seen = self.seen_places().await?;
        let visited = seen.iter().map(|place| SessionAction::from(format!("visited the {place}").as_str()));
        let request = TerminateRequest {
            lessons: vec!["the museum is worth an afternoon".into()],
            actions: visited.collect(),
            ..TerminateRequest::default()
        };
        let ended = self.client.lifecycle().terminate("tour", request).await?;
        let episode = self.client.get(&ended.episode_id.unwrap_or_default(), GetOptions::default()).await?;
        println!("finished: {} of {} places, remembered as {}", seen.len(), PLACES.len(), episode.r#type);
        let question = RecallQuery {
            limit: Some(1),
            scope: Some(self.scope.clone()),
            ..RecallQuery::from("What is worth an afternoon?")
        };
        println!("recalled: {}", self.client.recall(question).await?.hits[0].memory.r#type);
        self.client.close().await;
        Ok(())
    }

    async fn visit(&self, count: usize) -> Result<()> {
        let session = self.client.session("tour");
        let mut seen = self.seen_places().await?;
        for place in PLACES.iter().skip(seen.len()).take(count) {
            seen.push((*place).into());
            session.append_scratchpad([format!("the {place} is worth a visit")]).await?;
            session.set("seen", &seen, SetOptions::default()).await?;
            let current_step = i64::try_from(seen.len()).ok();
            session.update_task_progress(TaskProgress { current_step, ..TaskProgress::default() }, None).await?;
            println!("step {}: the {place}", seen.len());
        }
        Ok(())
    }

    async fn seen_places(&self) -> Result<Vec<String>> {
        match self.client.session("tour").get("seen").await? {
            Some(entry) => entry.deserialize(),
            None => Ok(Vec::new()),
        }
    }
}
