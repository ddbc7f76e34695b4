import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { expect, it } from '@jest/globals';
import { TaskState } from '../../../gen/ts/mneme/v1/working_memory_service.ts';

it('a task state sent with an unknown field › is accepted without it', () => {
  const writer = new BinaryWriter();
  TaskState.encode(TaskState.fromPartial({ taskId: 't', totalSteps: 4 }), writer);
  const newer = writer
    .uint32((500 << 3) | 2)
    .string('of a later version')
    .finish();
  expect(TaskState.decode(newer)).toMatchObject({ taskId: 't', totalSteps: 4 });
});
