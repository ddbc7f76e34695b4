/** The cost for any program on Node to open the same files: `<database> <graph file, or nothing> <dimension>`. */
import Database from 'better-sqlite3';
import { Index, MetricKind, ScalarKind } from 'usearch';

const [file = '', graph = '', dimension = ''] = process.argv.slice(2);
const db = new Database(file, { readonly: true });
db.prepare('SELECT * FROM memory LIMIT 1').get();
if (graph !== '') {
  const index = new Index({
    dimensions: Number(dimension),
    metric: MetricKind.IP,
    quantization: ScalarKind.BF16,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  });
  index.load(graph);
}
process.stdout.write('ready\n');
process.exit();
