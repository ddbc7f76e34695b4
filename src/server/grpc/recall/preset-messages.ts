import type { ListRecallPresetsResponse, RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { limitsText, typeText } from '../../../search/presets/parameter-reading.ts';
import { PRESETS, type PresetRequest, unknownPreset } from '../../../search/presets/presets.ts';
import { instantOf, type RequestChecks } from '../edge/request-checks.ts';

const PARAMETERS_BYTES = 65_536;

/** The preset of a request; fields that it determines must not be set. */
export function presetOf(checks: RequestChecks, message: RecallRequest): PresetRequest | undefined {
  const { preset, embedding, example, weights, minSimilarity } = message;
  if (!preset) return undefined;
  const { name, parameters, now } = preset;
  // Before the other fields: with a wrong name, they may be right.
  if (name === '') checks.add('preset.name', 'is required; ListRecallPresets lists the names');
  else if (!PRESETS.has(name)) checks.add('preset.name', unknownPreset(name));
  const beside = {
    text: message.text !== '',
    embedding,
    example,
    similar_to: message.similarTo !== '',
    weights,
    min_similarity: minSimilarity !== undefined,
  };
  for (const [field, isSet] of Object.entries(beside)) {
    if (isSet) checks.add(field, 'must be absent with a preset, whose parameters determine it');
  }
  checks.text('preset.parameters', parameters, PARAMETERS_BYTES);
  return {
    name,
    parameters: Buffer.from(parameters),
    nowUs: now && instantOf(checks, 'preset.now', now),
  };
}

export function presetsResponse(): ListRecallPresetsResponse {
  return {
    presets: [...PRESETS.values()].map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: parameters.map((parameter) => ({
        name: parameter.name,
        description: parameter.description,
        type: typeText(parameter),
        defaultJson: parameter.default === undefined ? '' : JSON.stringify(parameter.default),
        limits: limitsText(parameter),
        required: parameter.required ?? false,
      })),
    })),
  };
}
