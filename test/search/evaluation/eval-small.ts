import { connect } from '../../../clients/typescript/src/index.ts';
import { startOwnServer } from '../../../tools/eval/own-server.ts';
import { englishCases, languageCases, lifeCases, remarkCases, scriptCases, unreadCases } from './support/case-files.ts';
import { caseReport } from './support/case-report.ts';
import { runCases } from './support/run-cases.ts';

// Asks the cases of small memories on a temporary server, and prints correct answers and wrong first hits.
const server = await startOwnServer();
const mneme = connect(server.address);
try {
  const lines = [
    ...caseReport('small memories', await runCases(mneme, englishCases(), 'english')),
    ...caseReport('across languages', await runCases(mneme, languageCases(), 'language')),
    ...caseReport('a life in English', await runCases(mneme, lifeCases(), 'life')),
    ...caseReport('remarks', await runCases(mneme, remarkCases(), 'remark')),
    ...caseReport('languages that the encoder does not know', await runCases(mneme, unreadCases(), 'unread')),
    ...caseReport('scripts and spellings', await runCases(mneme, scriptCases(), 'script')),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  void mneme.close();
  await server.stop();
}
