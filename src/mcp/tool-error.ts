import type { CallToolResult } from '@modelcontextprotocol/server';
import { MnemeError } from '../../clients/typescript/src/index.ts';

/** An error that a model reads and acts upon: what field is wrong, why, and what the limit is. */
export function toolError(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: errorText(error) }] };
}

export function errorText(error: unknown): string {
  if (!(error instanceof MnemeError)) return error instanceof Error ? error.message : String(error);
  const { code, reason, violations } = error;
  const what =
    violations.length === 0
      ? error.message
      : violations.map(({ field, description }) => `${argumentOf(field)}: ${description}`).join('; ');
  const again = error.retryable ? ` ${againText(error.retryDelayMs)}` : '';
  return `${what.replace(/[.\s]*$/, '.')}${again} (${reason ?? code})`;
}

function againText(delayMs = 0): string {
  return delayMs > 0 ? `Try again in ${Math.ceil(delayMs / 1000)} s.` : 'Try again.';
}

/** The argument of a tool that a field of a request came from. */
function argumentOf(field: string): string {
  return field
    .replace(/^requests\[(\d+)\]\.memory\b\.?/, 'memories[$1].')
    .replace(/^(?:memory|query)\./, '')
    .replace(/\bsource\.(speaker)\b/, '$1')
    .replace(/\bscope\.(session)\b/, '$1')
    .replace(/\.$/, '');
}
