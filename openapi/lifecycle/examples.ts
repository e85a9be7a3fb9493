/** One request body per kind, ready for "try it out". */
export const EXAMPLES = {
  connection: {
    kind: 'Connection',
    id: 'wine-code',
    spec: {
      type: 'git',
      uri: 'https://example.org/models/wine.git',
      reference: 'main',
      description: 'Code of the wine quality model',
    },
  },
  toolchainIntegration: {
    kind: 'ToolchainIntegration',
    id: 'my-toolchain',
    spec: {
      entrypoint: 'my-runner',
      defaultImage: 'example.org/my-toolchain:1',
      additionalEnvironments: { LOG_LEVEL: 'info' },
    },
  },
  packagingIntegration: {
    kind: 'PackagingIntegration',
    id: 'my-packager',
    spec: {
      entrypoint: 'my-packager',
      defaultImage: 'example.org/my-packager:1',
      schema: {
        targets: [{ name: 'container-push', connectionTypes: ['container-registry'], required: true }],
        arguments: {
          properties: [{ name: 'imageName', parameters: [{ name: 'type', value: 'string' }] }],
          required: [],
        },
      },
    },
  },
  training: {
    kind: 'ModelTraining',
    id: 'wine',
    spec: {
      model: { name: 'wine', version: '1.0' },
      toolchain: 'ml-toolchain',
      entrypoint: 'main',
      workDir: './',
      algorithmSource: { vcs: { connection: 'wine-code' } },
      hyperParameters: { alpha: '0.5' },
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '250m', memory: '256Mi' } },
    },
  },
  packaging: {
    kind: 'ModelPackaging',
    id: 'wine',
    spec: {
      integrationName: 'container-rest',
      artifactName: 'wine-1.0-6f1c3bb2-2f0e-4c7e-9d5e-0c1de8a3a111.zip',
      arguments: { workers: 1 },
      targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
    },
  },
  deployment: {
    kind: 'ModelDeployment',
    id: 'wine',
    spec: { predictor: 'platform-ml-server', image: 'example.org/wine:1.0', minReplicas: 1, maxReplicas: 2 },
  },
  route: {
    kind: 'ModelRoute',
    id: 'wine-split',
    spec: {
      urlPrefix: '/custom/wine',
      modelDeployments: [
        { mdName: 'wine', weight: 90 },
        { mdName: 'wine-next', weight: 10 },
      ],
    },
  },
  inferenceService: {
    kind: 'InferenceService',
    id: 'wine',
    spec: {
      image: 'example.org/wine-tool:1.0',
      command: ['python', '-m', 'slipway_server.command_line'],
      args: ['predict'],
      modelRegistry: { local: { meta: { name: 'wine', version: '1.0' } } },
      dataSource: { connection: 'models-output', path: 'batch/in' },
      outputDestination: { connection: 'models-output', path: 'batch/out' },
    },
  },
  inferenceJob: {
    kind: 'InferenceJob',
    spec: { inferenceServiceId: 'wine', dataSource: { path: 'batch/in/2026-01-31' } },
  },
  pipeline: {
    kind: 'ModelPipeline',
    id: 'wine',
    spec: {
      parameters: { alpha: '0.5' },
      version: '1.{{ run }}',
      training: {
        model: { name: 'wine', version: '{{ version }}' },
        toolchain: 'ml-toolchain',
        algorithmSource: { vcs: { connection: 'wine-code' } },
        hyperParameters: { alpha: '{{ parameters.alpha }}' },
      },
      packaging: {
        integrationName: 'container-rest',
        targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
      },
      deployment: { id: 'wine', spec: { predictor: 'platform-ml-server', minReplicas: 1 } },
      gates: { metrics: [{ metric: 'rmse', max: 0.9 }], serving: [{ metric: 'rmse', goal: 'minimize' }] },
      triggers: { schedule: { cron: '0 3 * * MON', timeZone: 'Europe/Paris' }, feedback: { records: 100 } },
    },
  },
};
