import { describe, expect, it } from '@jest/globals';
import { ConfigError, configFrom, limitsOf, settingsBySubject } from '../../../src/server/config/config.ts';
import { settings } from '../../../src/server/config/settings.ts';

function problemsOf(provided: Parameters<typeof configFrom>[0]): readonly string[] {
  try {
    configFrom({ env: {}, ...provided });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('configFrom', () => {
  it('without settings › serves on loopback with the defaults', () => {
    expect(configFrom({ env: {} })).toMatchObject({
      listen: '127.0.0.1:50051',
      data: './data',
      embedder: 'static',
      maxBatchSize: 1000,
      maxRequestBytes: 4_194_304,
      autoCreateNamespaces: true,
      allowInsecure: false,
      warnings: [],
    });
  });

  it('with flag and variable › the flag wins; an empty variable counts as not set', () => {
    const env = { MNEME_DATA: '/env', MNEME_MAX_BATCH_SIZE: '7', MNEME_LOG_LEVEL: '' };
    const config = configFrom({ flags: { data: '/flag', allowInsecure: true }, env });

    expect(config).toMatchObject({ data: '/flag', maxBatchSize: 7, logLevel: 'info', allowInsecure: true });
  });

  it('with invalid settings › each is named in its original form, with the expected value', () => {
    const env = { MNEME_MAX_BATCH_SIZE: 'abc', MNEME_LISTEN: 'nowhere', MNEME_AUTO_CREATE_NAMESPACES: 'perhaps' };

    expect(problemsOf({ env, flags: { maxPageSize: '1001', maxPageBytes: '1', embedder: 'magic', data: '' } })).toEqual(
      [
        'MNEME_LISTEN: expected host:port, such as 127.0.0.1:50051, got "nowhere"',
        '--data: expected a path, got ""',
        '--embedder: expected one of none, static, hashing, http, transformers, got "magic"',
        'MNEME_AUTO_CREATE_NAMESPACES: expected true or false, got "perhaps"',
        'MNEME_MAX_BATCH_SIZE: expected a whole number from 1 to 1000, got "abc"',
        '--max-page-size: expected a whole number from 1 to 1000, got "1001"',
        '--max-page-bytes: expected a whole number of bytes from 65536 to 16777216, got "1"',
      ],
    );
  });

  it.each(['1e3', '-1', '1.5', ' 5', '0x10', '99999999999999999999'])(
    'when a number is written %j › it is refused',
    (text) => {
      expect(problemsOf({ flags: { maxBatchSize: text } })).toHaveLength(1);
    },
  );

  it.each(['127.0.0.1:0', 'localhost:1', '[::1]:65535', '127.8.9.1:50051', 'unix:/run/mneme.sock'])(
    'when it listens on %s › loopback needs no further settings',
    (listen) => {
      expect(configFrom({ flags: { listen }, env: {} }).listen).toBe(listen);
    },
  );

  it('with tokens for required hooks › tokens of callers are needed', () => {
    const flags = { requiredHookTokensFile: 'h' };
    expect(problemsOf({ flags })).toEqual([
      '--required-hook-tokens-file: requires --auth-tokens-file or MNEME_AUTH_TOKENS',
    ]);
    expect(problemsOf({ flags: { ...flags, authTokensFile: 't' } })).toEqual([]);
  });

  it.each(['0.0.0.0:1', '[::]:1', '10.0.0.1:1'])('when metrics listen on %s › asked for by name, or refused', (at) => {
    const [problem, ...others] = problemsOf({ flags: { metricsListen: at } });

    expect(problem).toContain(`--metrics-listen ${at}: `);
    expect(problem).toContain('--allow-insecure-metrics');
    expect(others).toEqual([]);
    for (const flags of [{ allowInsecureMetrics: true }, { allowInsecure: true }]) {
      expect(problemsOf({ flags: { metricsListen: at, ...flags } })).toEqual([]);
    }
    for (const metricsListen of ['', '127.0.0.1:1', 'localhost:1']) {
      expect(problemsOf({ flags: { metricsListen } })).toEqual([]);
    }
  });

  it.each(['0.0.0.0:1', '[::]:1', '10.0.0.1:1', 'example.org:1', '127.0.0.1.example.org:1'])(
    'when it listens on %s › TLS and credentials are needed, or asking for less by name',
    (listen) => {
      const tls = { tlsCert: 'c', tlsKey: 'k' };
      const [problem] = problemsOf({ flags: { listen } });

      expect(problem).toContain(listen);
      expect(problem).toContain('--allow-insecure');
      expect(problem).not.toContain('\n');
      expect(problemsOf({ flags: { listen, ...tls } })).toHaveLength(1);
      expect(problemsOf({ flags: { listen, authTokensFile: 't' } })).toHaveLength(1);
      for (const flags of [{ ...tls, authTokensFile: 't' }, { ...tls, tlsClientCa: 'a' }, { allowInsecure: true }]) {
        expect(problemsOf({ flags: { listen, ...flags } })).toEqual([]);
      }
    },
  );

  it('with an address of no form › names that alone, and no credentials that it would need', () => {
    for (const name of ['listen', 'metricsListen']) {
      const flag = name === 'listen' ? '--listen' : '--metrics-listen';
      expect(problemsOf({ flags: { [name]: 'foo' } })).toEqual([
        expect.stringMatching(`^${flag}: expected .*, got "foo"$`),
      ]);
    }
  });

  it('with contradictory settings › names the missing one', () => {
    expect(problemsOf({ flags: { tlsCert: 'c' } })[0]).toContain('--tls-key');
    expect(problemsOf({ flags: { tlsClientCa: 'a' } })[0]).toContain('--tls-cert');
    expect(problemsOf({ flags: { embedder: 'http' } })).toHaveLength(2);
    expect(problemsOf({ flags: { defaultDeadlineMs: '2000', maxDeadlineMs: '1000' } })[0]).toContain(
      '--max-deadline-ms',
    );
  });

  it.each([
    ['', '""'],
    ['huggingface.co', '"huggingface.co"'],
    ['ftp://mirror', '"ftp://mirror"'],
    ['https://', '"https://"'],
    ['https://me:secret@mirror', '"https://***@mirror"'],
    ['https://me@mirror/x', '"https://***@mirror/x"'],
  ])(
    'when the hub is %j › it is refused without showing a password; a mirror in a folder of a host is not',
    (embedderHub, shown) => {
      const [problem, ...more] = problemsOf({ flags: { embedderHub } });
      expect(more).toEqual([]);
      expect(problem).toBe(`--embedder-hub: expected http://host or https://host, without a password, got ${shown}`);
      expect(problemsOf({ flags: { embedderHub: 'http://mirror.example:8080/hf/' } })).toEqual([]);
    },
  );

  it.each(['../../etc', '/models/x', 'a/b/c', 'a b', 'a/..', 'https://huggingface.co/a/b', '.', 'a/'])(
    'when the model to download is %j › it is refused; with a path it only names the vectors',
    (embedderModel) => {
      const flags = { embedder: 'transformers', embedderModel };
      expect(problemsOf({ flags })).toEqual([
        `--embedder-model: expected a name of the hub, such as Xenova/all-MiniLM-L6-v2, got ${JSON.stringify(embedderModel)}`,
      ]);
      expect(problemsOf({ flags: { ...flags, embedderPath: '/models/x' } })).toEqual([]);
    },
  );

  it.each(['nowhere', 'ftp://host/v1', 'http://me:secret@host/v1'])(
    'when the endpoint is %j › it is refused',
    (url) => {
      expect(problemsOf({ flags: { embedder: 'http', embedderModel: 'm', embedderUrl: url } })).toHaveLength(1);
    },
  );

  it('with an unknown variable › warns with the nearest name, and ignores variables of other programs', () => {
    const foreign = { MNEME_SERVER: 'x', MNEME_TIMEOUT: '5s', MNEME_PORT_50051_TCP: 'x', HOME: '/' };
    const env = { MNEME_MAX_BATCH_SZE: '1', MNEME_ZZZ: '1', ...foreign };

    expect(configFrom({ env }).warnings).toEqual([
      'MNEME_MAX_BATCH_SZE is not a setting; did you mean MNEME_MAX_BATCH_SIZE?',
      'MNEME_ZZZ is not a setting',
    ]);
  });

  it('with a secret as a flag › it is refused, and an invalid one is not shown', () => {
    expect(configFrom({ flags: { authTokens: 'x', embedderApiKey: 'x' }, env: {} })).toMatchObject({
      authTokens: '',
      embedderApiKey: '',
    });
  });
});

describe('settingsBySubject', () => {
  it('when listed › has every setting once, with its choices and default', () => {
    const listed = settingsBySubject().flatMap((group) => group.settings);

    expect(listed.map(({ name }) => name).toSorted()).toEqual(Object.keys(settings.shape).toSorted());
    expect(listed.find(({ name }) => name === 'logFormat')).toEqual({
      name: 'logFormat',
      flag: '--log-format',
      variable: 'MNEME_LOG_FORMAT',
      placeholder: '<word>',
      description: 'Format of the log; auto is text on a terminal, otherwise json',
      expected: 'one of auto, json, text',
      choices: ['auto', 'json', 'text'],
      fallback: 'auto',
    });
    expect(listed.filter(({ isSecret }) => isSecret).map(({ variable }) => variable)).toContain('MNEME_REDIS_URL');
  });

  it('common settings first › are ten settings', () => {
    expect(settingsBySubject()[0]?.settings).toHaveLength(10);
  });
});

describe('limitsOf', () => {
  it('limits › are listed by the names of their settings', () => {
    expect(limitsOf(configFrom({ env: { MNEME_MAX_PAGE_SIZE: '5' } }))).toContainEqual({
      name: 'max_page_size',
      value: 5,
    });
  });
});
