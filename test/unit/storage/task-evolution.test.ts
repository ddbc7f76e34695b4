import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { taskMessage } from '../../../src/grpc/sessions/working-memory-messages.ts';
import { taskOf } from '../../../src/storage/sessions/entry-ops.ts';

describe('a task state of another version', () => {
  it('stored with unknown fields, and without some known ones › is read, and can be returned', () => {
    const task = taskOf('{"taskId":"t","description":"d","version":3,"mood":"well","detail":null}');
    expect(task).toEqual({
      taskId: 't',
      description: 'd',
      status: 'pending',
      detail: '',
      currentStep: 0,
      totalSteps: 0,
      progressPercent: 0,
      startedAtUs: 0,
      updatedAtUs: 0,
      version: 3,
    });
    if (!task) throw new Error('there is no task');
    expect(TaskState.decode(TaskState.encode(taskMessage(task)).finish())).toMatchObject({ taskId: 't', version: 3n });
  });

  it('sent with an unknown field › is accepted without it', () => {
    const writer = new BinaryWriter();
    TaskState.encode(TaskState.fromPartial({ taskId: 't', totalSteps: 4 }), writer);
    const newer = writer
      .uint32((500 << 3) | 2)
      .string('of a later version')
      .finish();
    expect(TaskState.decode(newer)).toMatchObject({ taskId: 't', totalSteps: 4 });
  });
});
