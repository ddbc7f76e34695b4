/** A bare server of HTTP/1.1 that answers every request with the same bytes: `node http-echo-process.ts HOST:PORT BASE64`. */
import { createServer } from 'node:http';

const [address = '', answer = ''] = process.argv.slice(2);
const [host = '', port = ''] = address.split(':');
const bytes = Buffer.from(answer, 'base64');
const server = createServer((request, response) => {
  request.on('data', () => undefined);
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/proto', 'content-length': bytes.length });
    response.end(bytes);
  });
});
server.listen({ host, port: Number(port) });
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
