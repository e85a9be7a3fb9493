// Made of the OpenAPI documents by `npm run client:types`; a test compares the two. Do not edit.

export interface paths {
  '/api/v1/connection': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every connection */
    get: operations['listConnections'];
    /** Replace a connection; fields that are left out are cleared */
    put: operations['replaceConnection'];
    /** Create a connection */
    post: operations['createConnection'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connection/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one connection */
    get: operations['getConnection'];
    put?: never;
    post?: never;
    /** Delete a connection */
    delete: operations['deleteConnection'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/toolchain/integration': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every toolchain integration */
    get: operations['listToolchainIntegrations'];
    /** Replace a toolchain integration; fields that are left out are cleared */
    put: operations['replaceToolchainIntegration'];
    /** Create a toolchain integration */
    post: operations['createToolchainIntegration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/toolchain/integration/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one toolchain integration */
    get: operations['getToolchainIntegration'];
    put?: never;
    post?: never;
    /** Delete a toolchain integration */
    delete: operations['deleteToolchainIntegration'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/packaging/integration': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every packaging integration */
    get: operations['listPackagingIntegrations'];
    /** Replace a packaging integration; fields that are left out are cleared */
    put: operations['replacePackagingIntegration'];
    /** Create a packaging integration */
    post: operations['createPackagingIntegration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/packaging/integration/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one packaging integration */
    get: operations['getPackagingIntegration'];
    put?: never;
    post?: never;
    /** Delete a packaging integration */
    delete: operations['deletePackagingIntegration'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/training': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every training */
    get: operations['listModelTrainings'];
    /** Replace a training; fields that are left out are cleared */
    put: operations['replaceModelTraining'];
    /** Create a training */
    post: operations['createModelTraining'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/training/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one training */
    get: operations['getModelTraining'];
    put?: never;
    post?: never;
    /** Delete a training */
    delete: operations['deleteModelTraining'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/packaging': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every packaging */
    get: operations['listModelPackagings'];
    /** Replace a packaging; fields that are left out are cleared */
    put: operations['replaceModelPackaging'];
    /** Create a packaging */
    post: operations['createModelPackaging'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/packaging/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one packaging */
    get: operations['getModelPackaging'];
    put?: never;
    post?: never;
    /** Delete a packaging */
    delete: operations['deleteModelPackaging'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every deployment */
    get: operations['listModelDeployments'];
    /** Replace a deployment; fields that are left out are cleared */
    put: operations['replaceModelDeployment'];
    /** Create a deployment */
    post: operations['createModelDeployment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one deployment */
    get: operations['getModelDeployment'];
    put?: never;
    post?: never;
    /** Delete a deployment */
    delete: operations['deleteModelDeployment'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/route': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every route */
    get: operations['listModelRoutes'];
    /** Replace a route; fields that are left out are cleared */
    put: operations['replaceModelRoute'];
    /** Create a route */
    post: operations['createModelRoute'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/route/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one route */
    get: operations['getModelRoute'];
    put?: never;
    post?: never;
    /** Delete a route */
    delete: operations['deleteModelRoute'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every pipeline */
    get: operations['listModelPipelines'];
    /** Replace a pipeline; fields that are left out are cleared */
    put: operations['replaceModelPipeline'];
    /** Create a pipeline */
    post: operations['createModelPipeline'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one pipeline */
    get: operations['getModelPipeline'];
    put?: never;
    post?: never;
    /** Delete a pipeline */
    delete: operations['deleteModelPipeline'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/service': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every inference service */
    get: operations['listInferenceServices'];
    /** Replace a inference service; fields that are left out are cleared */
    put: operations['replaceInferenceService'];
    /** Create a inference service */
    post: operations['createInferenceService'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/service/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one inference service */
    get: operations['getInferenceService'];
    put?: never;
    post?: never;
    /** Delete a inference service */
    delete: operations['deleteInferenceService'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/job': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List every inference job */
    get: operations['listInferenceJobs'];
    put?: never;
    /** Create a inference job */
    post: operations['createInferenceJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/job/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one inference job */
    get: operations['getInferenceJob'];
    put?: never;
    post?: never;
    /** Delete a inference job */
    delete: operations['deleteInferenceJob'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/training/{id}/log': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Read the log, or follow it to its end */
    get: operations['getModelTrainingLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/training/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel the run; the training ends as failed, reason Cancelled */
    post: operations['cancelModelTraining'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/training/{id}/rerun': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Run the training again as it is */
    post: operations['rerunModelTraining'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/packaging/{id}/log': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Read the log, or follow it to its end */
    get: operations['getModelPackagingLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/packaging/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel the run; the packaging ends as failed, reason Cancelled */
    post: operations['cancelModelPackaging'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/packaging/{id}/rerun': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Run the packaging again as it is */
    post: operations['rerunModelPackaging'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/job/{id}/log': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Read the log, or follow it to its end */
    get: operations['getInferenceJobLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/job/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel the run; the inference job ends as failed, reason Cancelled */
    post: operations['cancelInferenceJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/batch/job/{id}/rerun': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Run the inference job again as it is */
    post: operations['rerunInferenceJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connection/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reach the other side, log in, read, and write if asked to */
    post: operations['testConnection'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/connection/{id}/decrypted': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get one connection with its secrets; every call is audited */
    get: operations['getDecryptedConnection'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/log': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Read the log, or follow it to its end */
    get: operations['getModelDeploymentLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Availability, resource use, calls and latency of the last minutes */
    get: operations['getModelDeploymentMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment-metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The metrics of every deployment */
    get: operations['listModelDeploymentMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/default-route': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get the route that the deployment has from its first moment */
    get: operations['getDefaultRoute'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/revision': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** The last 20 revisions that had all the traffic */
    get: operations['listDeploymentRevisions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/rollback': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Go back to an earlier revision, without a rollout */
    post: operations['rollBackDeployment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/rollout/pause': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Keep the weights of a rollout; a bad candidate is rolled back all the same */
    post: operations['pauseRollout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/rollout/resume': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Go on with a rollout that was paused */
    post: operations['resumeRollout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/rollout/promote': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Give the candidate of a rollout all traffic at once */
    post: operations['promoteRollout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment/{id}/rollout/abort': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Roll back: the revision that served before gets all traffic */
    post: operations['abortRollout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** List the runs of a pipeline, newest first */
    get: operations['listPipelineRuns'];
    put?: never;
    /** Run the pipeline */
    post: operations['createPipelineRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run/{number}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    /** Get one run: its steps, children, gates and times */
    get: operations['getPipelineRun'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run/{number}/cancel': {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel the run; it ends as failed, reason Cancelled */
    post: operations['cancelPipelineRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run/{number}/retry': {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Go on at the step that failed; with `spec`, by another spec of the pipeline from here on */
    post: operations['retryPipelineRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run/{number}/approve': {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Approve the run that waits for it */
    post: operations['approvePipelineRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/run/{number}/reject': {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reject the run that waits for an approval */
    post: operations['rejectPipelineRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/schedule': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get the schedule with its next times */
    get: operations['getPipelineSchedule'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/webhook': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    /** Get the address and secret of the webhook; every call is audited */
    get: operations['getPipelineWebhook'];
    put?: never;
    /** Run the pipeline by a signed message: Standard Webhooks, or the signature of GitHub; needs no token */
    post: operations['callPipelineWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/schedule/pause': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Halt the schedule */
    post: operations['pausePipelineSchedule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/schedule/resume': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Let the schedule go on */
    post: operations['resumePipelineSchedule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/pipeline/{id}/schedule/trigger': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Start the scheduled run now, unless one is going on */
    post: operations['triggerPipelineSchedule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether your token is good, which services are down, and what is not as it should be */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user/info': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Who you are, by your token */
    get: operations['getUserInfo'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/quota': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What you and all owners hold at once, and may hold */
    get: operations['getQuota'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/configuration': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Public settings of the installation */
    get: operations['getConfiguration'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/record/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description request id of a call */
        id: string;
      };
      cookie?: never;
    };
    /**
     * What was recorded of a call, and the feedback on it
     * @description Each read is in the audit log. Values that the rules of the deployment remove are not shown.
     */
    get: operations['getRecord'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/lineage/{kind}/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        kind:
          | 'pipeline'
          | 'pipeline-run'
          | 'commit'
          | 'data'
          | 'training'
          | 'artifact'
          | 'packaging'
          | 'image'
          | 'deployment'
          | 'request';
        /** @description id of a resource or a request, a commit, a digest, or the name of an artifact or an image */
        id: string;
      };
      cookie?: never;
    };
    /** Where something came from, and what came of it */
    get: operations['getLineage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Who changed what, newest first */
    get: operations['listAuditRecords'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/deployment-events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Changes of deployments */
    get: operations['listDeploymentEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/model/route-events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Changes of routes */
    get: operations['listRouteEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/image/verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Where an image is from, by its signed statements */
    get: operations['verifyImage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/attestation-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Public halves of the keys that sign statements about images, as a JWK Set */
    get: operations['getAttestationKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/attestation-keys.pem': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The same keys in PEM, as cosign takes them */
    get: operations['getAttestationKeysPem'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Datasets that the caller may read. */
    get: operations['list_datasets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** A declaration and its state. */
    get: operations['read_dataset'];
    /** Declares a dataset, or changes its declaration. */
    put: operations['put_dataset'];
    post?: never;
    /** Drops a dataset with its rows. */
    delete: operations['delete_dataset'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/pin': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes what readers see back to a kept version, in every process; writes go on. */
    post: operations['pin_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/unpin': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Readers see the newest version again. */
    post: operations['unpin_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/versions': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** Versions from the newest down, and what each did. */
    get: operations['list_versions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/changes': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** Changes after a position, each once and in order. */
    get: operations['list_changes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/events': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** Changes after a position, as server-sent events while they happen. */
    get: operations['stream_changes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** The differences of two kept versions. */
    get: operations['diff_versions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/datasets/{name}/dangling': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    /** Rows whose references lead to no row, by their ids; needs the right to read the referenced datasets. */
    get: operations['list_dangling'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Keys, without their secrets. */
    get: operations['list_keys'];
    put?: never;
    /** A new key; its secret is shown this once. */
    post: operations['issue_key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/keys/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the key. */
        id: string;
      };
      cookie?: never;
    };
    /** One key. */
    get: operations['read_key'];
    put?: never;
    post?: never;
    /** Ends it, everywhere within a second. */
    delete: operations['revoke_key'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/keys/{id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the key. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A new secret; the old one stays good for a while. */
    post: operations['rotate_key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/graphql': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A GraphQL query in the address. */
    get: operations['graph_by_get'];
    put?: never;
    /** Rows with their relations in both directions, by GraphQL. */
    post: operations['graph'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How far this process is with each dataset, and how subscriptions and watches are. */
    get: operations['read_health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document: with a credential for the datasets that it may read. */
    get: operations['read_openapi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/problems/{code}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of a problem. */
        code: string;
      };
      cookie?: never;
    };
    /** What a problem means, and what to do about it. */
    get: operations['explain_problem'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/watches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the watches. */
    get: operations['list_watches'];
    put?: never;
    /** Creates a watch: it emits an event when entities do not change, or platform events do not happen, in time. */
    post: operations['create_watch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/watches/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    /** Shows its settings, their history and the state of its evaluation. */
    get: operations['read_watch'];
    put?: never;
    post?: never;
    /** Removes the watch; no more events are emitted. */
    delete: operations['delete_watch'];
    options?: never;
    head?: never;
    /** Changes settings by JSON merge patch; deadlines are computed again from the last change of each entity. */
    patch: operations['change_watch'];
    trace?: never;
  };
  '/v2/watches/{id}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Pauses the watch: it emits no events until it is resumed. */
    post: operations['pause_watch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/watches/{id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Resumes the watch; overdue events are emitted unless its settings skip them. */
    post: operations['resume_watch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/watches/{id}/gaps': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    /** Lists the emitted events, the newest first; a page may be short. */
    get: operations['list_gaps'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/watches/{id}/explain': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    /** Explains the state of the gap of one entity. */
    get: operations['explain_watch'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the subscriptions. */
    get: operations['list_subscriptions'];
    put?: never;
    /** Creates a subscription to events from now on; the secret is shown only here. */
    post: operations['create_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    /** Shows its settings, its state and the counts of its deliveries. */
    get: operations['read_subscription'];
    put?: never;
    post?: never;
    /** Removes the subscription; nothing more is sent. */
    delete: operations['delete_subscription'];
    options?: never;
    head?: never;
    /** Changes settings by JSON merge patch. */
    patch: operations['change_subscription'];
    trace?: never;
  };
  '/v2/subscriptions/{id}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Pauses sending; events are kept. */
    post: operations['pause_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends what was kept, in order. */
    post: operations['resume_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/probe': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Probes the receiver and updates its level. */
    post: operations['probe_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends a type's example, signed like every event and without a ledger entry; reports the response. */
    post: operations['test_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/explain': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Explains whether a change of an entity, or the entry at a position of a stream, matches. */
    post: operations['explain_subscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/webhook-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Public halves of the Ed25519 keys that sign now, as a JWK Set. */
    get: operations['read_webhook_keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/secrets': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A new key; those before it sign beside it until the overlap ends. Answered when every worker signs with it. */
    post: operations['add_secret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/secrets/{kid}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the key. */
        kid: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Ends a key at once. */
    delete: operations['remove_secret'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    /** Lists deliveries, the newest first; as NDJSON all of them in one response. */
    get: operations['list_deliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/failed-deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the failed deliveries of all subscriptions, subscription by subscription, each with the newest first. */
    get: operations['list_failed_deliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries/{sequence}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    /** Shows one delivery: its event and every attempt. */
    get: operations['read_delivery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries/{sequence}/request': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    /** The exact body that is sent, or the whole request of the newest attempt with its signatures masked. */
    get: operations['read_delivery_request'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries/{sequence}/resend': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends the delivery again, with the same id and bytes. */
    post: operations['resend_delivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries/{sequence}/confirm': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Records that a held delivery has arrived. */
    post: operations['confirm_delivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/deliveries/{sequence}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancels the delivery. */
    post: operations['cancel_delivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends the deliveries of a window again, with the same ids and bytes. */
    post: operations['replay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/recover': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends failed deliveries again. */
    post: operations['recover'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/recoveries': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    /** Lists recoveries, the newest first; they are kept for 30 days after their end. */
    get: operations['list_recoveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/subscriptions/{id}/recoveries/{recovery}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the answer to replay or recover. */
        recovery: string;
      };
      cookie?: never;
    };
    /** Shows the progress of a recovery. */
    get: operations['read_recovery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    /** Reads the events of a subscription after a cursor, as they are pushed. */
    get: operations['read_feed'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}/consumers': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    /** Lists the consumers of the feed. */
    get: operations['list_consumers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}/consumers/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    /** Shows its position. */
    get: operations['read_consumer'];
    /** Its settings; one that is new begins with the oldest event that is kept. */
    put: operations['put_consumer'];
    post?: never;
    /** Removes the consumer. */
    delete: operations['delete_consumer'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}/consumers/{name}/next': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    /** Hands out the oldest events that no reader of this name has or acknowledged. */
    get: operations['next_of_consumer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}/consumers/{name}/ack': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Everything up to `through` is processed, or from `from` on. */
    post: operations['ack_of_consumer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/feed/{id}/consumers/{name}/seek': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Goes to `beginning`, `end`, a number or a time: what comes next. */
    post: operations['seek_of_consumer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/event-types': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the event types with schema and example. */
    get: operations['list_event_types'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/event-types/{type}/{version}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Such as dataset.positions.updated. */
        type: string;
        /** @description Of the form of the type. */
        version: string;
      };
      cookie?: never;
    };
    /** Shows one version of a type: the target of dataschema in events. */
    get: operations['read_event_type'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    /** Rows of any_dataset, page by page or by their ids. */
    get: operations['list_any_dataset'];
    put?: never;
    /** A new row, with an id of ours. */
    post: operations['create_any_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/search': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    /** Rows that fulfil a filter. */
    get: operations['search_any_dataset'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/lookup': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    /** The best rows for what was typed so far. */
    get: operations['lookup_any_dataset'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/batch': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Up to 500 writes, each by itself. */
    post: operations['batch_any_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    /** One row. */
    get: operations['read_any_dataset'];
    /** The whole row. */
    put: operations['put_any_dataset'];
    post?: never;
    /** The row goes; its versions go on if it comes back. */
    delete: operations['delete_any_dataset'];
    options?: never;
    head?: never;
    /** Some fields of the row, as JSON merge patch (RFC 7396). */
    patch: operations['patch_any_dataset'];
    trace?: never;
  };
  '/v2/{dataset}/{id}/history': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    /** Versions of the row, the newest first. */
    get: operations['history_any_dataset'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/imports': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    /** The newest imports first, without the errors of their rows. */
    get: operations['imports_any_dataset'];
    put?: never;
    /** Many rows: in one call with a body, or without one to upload in parts. */
    post: operations['import_any_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/{dataset}/imports/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    /** How far it is. */
    get: operations['read_import_any_dataset'];
    put?: never;
    post?: never;
    /** Ends it; what was written stays. */
    delete: operations['cancel_import_any_dataset'];
    options?: never;
    head?: never;
    /** The next part of an upload. */
    patch: operations['append_import_any_dataset'];
    trace?: never;
  };
  '/v2/{dataset}/imports/{id}/commit': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The upload is complete: begin. */
    post: operations['start_import_any_dataset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Connection: {
      /** @constant */
      kind: 'Connection';
      id: string;
      spec: {
        /**
         * @description git, object-store, container-registry or cloud-registry
         * @default
         */
        type: string;
        /**
         * @description address, such as https://host/repository.git, gs://bucket/path or registry/path
         * @default
         */
        uri: string;
        region?: string;
        username?: string;
        /** @description Base64; shown as ***** */
        password?: string;
        role?: string;
        /** @description Base64; shown as ***** */
        keyID?: string;
        /** @description Base64, such as a private key or a token; shown as ***** */
        keySecret?: string;
        /** @description Base64; host key of a git server */
        publicKey?: string;
        /** @description branch, tag or commit of a training that names none */
        reference?: string;
        /** @description for people */
        description?: string;
        /** @description for people */
        webUILink?: string;
        /**
         * @description whether deleting it is refused
         * @default false
         */
        vital: boolean;
        /** @description runs that may take its secrets as variables */
        usableIn?: 'training'[];
      };
      status: Record<string, never>;
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ConnectionRequest: {
      /** @constant */
      kind?: 'Connection';
      id: string;
      spec: {
        /** @description git, object-store, container-registry or cloud-registry */
        type: string;
        /** @description address, such as https://host/repository.git, gs://bucket/path or registry/path */
        uri: string;
        region?: string;
        username?: string;
        /** @description Base64; shown as ***** */
        password?: string;
        role?: string;
        /** @description Base64; shown as ***** */
        keyID?: string;
        /** @description Base64, such as a private key or a token; shown as ***** */
        keySecret?: string;
        /** @description Base64; host key of a git server */
        publicKey?: string;
        /** @description branch, tag or commit of a training that names none */
        reference?: string;
        /** @description for people */
        description?: string;
        /** @description for people */
        webUILink?: string;
        /**
         * @description whether deleting it is refused
         * @default false
         */
        vital?: boolean;
        /** @description runs that may take its secrets as variables */
        usableIn?: 'training'[];
      };
    };
    ToolchainIntegration: {
      /** @constant */
      kind: 'ToolchainIntegration';
      id: string;
      spec: {
        /**
         * @description program that trains
         * @default
         */
        entrypoint: string;
        /**
         * @description image of its jobs
         * @default
         */
        defaultImage: string;
        /** @description variables of each of its jobs */
        additionalEnvironments: {
          [key: string]: string;
        };
      };
      status: Record<string, never>;
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ToolchainIntegrationRequest: {
      /** @constant */
      kind?: 'ToolchainIntegration';
      id: string;
      spec: {
        /** @description program that trains */
        entrypoint: string;
        /** @description image of its jobs */
        defaultImage: string;
        /** @description variables of each of its jobs */
        additionalEnvironments?: {
          [key: string]: string;
        };
      };
    };
    PackagingIntegration: {
      /** @constant */
      kind: 'PackagingIntegration';
      id: string;
      spec: {
        /**
         * @description program that packages
         * @default
         */
        entrypoint: string;
        /**
         * @description image of its jobs
         * @default
         */
        defaultImage: string;
        /**
         * @description without effect; taken so that existing manifests stay valid
         * @default false
         */
        privileged: boolean;
        /** @description connections and arguments of a packaging */
        schema: {
          targets: {
            /** @default  */
            name: string;
            connectionTypes: string[];
            default?: string;
            /** @default false */
            required: boolean;
          }[];
          arguments: {
            properties: {
              /** @default  */
              name: string;
              parameters: {
                /** @default  */
                name: string;
                /** @default null */
                value: unknown;
              }[];
            }[];
            required: string[];
          };
        };
      };
      status: Record<string, never>;
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    PackagingIntegrationRequest: {
      /** @constant */
      kind?: 'PackagingIntegration';
      id: string;
      spec: {
        /** @description program that packages */
        entrypoint: string;
        /** @description image of its jobs */
        defaultImage: string;
        /**
         * @description without effect; taken so that existing manifests stay valid
         * @default false
         */
        privileged?: boolean;
        /** @description connections and arguments of a packaging */
        schema?: {
          targets?: {
            name?: string;
            connectionTypes?: string[];
            default?: string;
            /** @default false */
            required?: boolean;
          }[];
          arguments?: {
            properties?: {
              name?: string;
              parameters?: {
                name?: string;
                /** @default null */
                value?: unknown;
              }[];
            }[];
            required?: string[];
          };
        };
      };
    };
    ModelTraining: {
      /** @constant */
      kind: 'ModelTraining';
      id: string;
      spec: {
        /** @description name and version of the model */
        model: {
          /**
           * @description letters, digits, -, _ and .
           * @default
           */
          name: string;
          /**
           * @description as text, such as "1.0"
           * @default
           */
          version: string;
          /**
           * @description name of the artifact; may use Name, Version, RandomUUID and CommitID
           * @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip
           */
          artifactNameTemplate: string;
        };
        /**
         * @description id of a toolchain integration, such as ml-toolchain
         * @default
         */
        toolchain: string;
        /**
         * @description entry point of the MLproject file
         * @default main
         */
        entrypoint: string;
        /**
         * @description folder of the project, relative to the root of the repository
         * @default ./
         */
        workDir: string;
        /** @description the code: exactly one of vcs and objectStorage */
        algorithmSource: {
          /** @description id of a connection of type git, and a branch, tag or commit; default: those of the connection */
          vcs: {
            connection?: string;
            reference?: string;
          };
          /** @description id of a connection of an object store, and a path below it */
          objectStorage: {
            connection?: string;
            path?: string;
          };
        };
        /** @description input data: files of a connection, or feedback of a served model, at localPath in the project */
        data: {
          /**
           * @description id of a connection of an object store
           * @default
           */
          connection: string;
          /**
           * @description relative to the root of the repository
           * @default
           */
          localPath: string;
          /** @description below the path of the connection */
          remotePath?: string;
          /** @description answered calls of a model with their feedback, instead of a connection */
          feedback?: {
            /** @default  */
            model: string;
            version?: string;
            last?: string;
            from?: string;
            to?: string;
            /** @default P30D */
            within: string;
            /** @default ndjson */
            format: string;
            /** @default false */
            allowEmpty: boolean;
          };
        }[];
        /** @description parameters of the entry point */
        hyperParameters: {
          [key: string]: string;
        };
        /** @description variables of the program; valueFrom takes a secret of a connection that allows it */
        envs: {
          /** @default  */
          name: string;
          /** @default  */
          value: string;
          valueFrom?: {
            /** @default  */
            connection: string;
            /** @default  */
            field: string;
          };
        }[];
        /** @description further arguments of the entry point */
        args: string[];
        /** @description image of the job; default: that of the toolchain integration */
        image?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "250m",
         *         "memory": "512Mi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /**
         * @description id of the connection that stores the artifact; default: that of the installation
         * @default
         */
        outputConnection: string;
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector: {
          [key: string]: string;
        };
      };
      status: {
        /**
         * @description `succeeded` and `failed` are final; a canceled run is `failed`
         * @enum {string}
         */
        state: 'unknown' | 'scheduling' | 'running' | 'succeeded' | 'failed';
        /** @description name of the container that does the work */
        podName?: string;
        workflowId?: string;
        /** Format: date-time */
        startedAt?: string;
        /** Format: date-time */
        finishedAt?: string;
        /** @enum {string} */
        reason?:
          | 'SourceCheckoutFailed'
          | 'DataCopyFailed'
          | 'ToolchainFailed'
          | 'SelfCheckFailed'
          | 'ArtifactNotFound'
          | 'PredictionFailed'
          | 'PackagerFailed'
          | 'PushFailed'
          | 'ImagePullFailed'
          | 'ImageRefused'
          | 'CrashLoop'
          | 'ProbeFailed'
          | 'OutOfMemory'
          | 'OutOfStorage'
          | 'NoCapacity'
          | 'Timeout'
          | 'Evicted'
          | 'Cancelled'
          | 'SpecInvalid'
          | 'GateFailed'
          | 'RolledBack'
          | 'Rejected'
          | 'Conflict'
          | 'Protected'
          | 'QuotaExceeded'
          | 'Internal';
        /** @description one sentence with the last useful log line */
        message?: string;
        /** @description the step that gave up */
        step?: string;
        exitCode?: number;
        logTail?: string;
        /** @description every state so far */
        transitions: {
          state: string;
          /** Format: date-time */
          at: string;
        }[];
        artifacts: {
          runId: string;
          artifactName: string;
          commitID: string;
        }[];
        /** @description name a packaging asks for */
        artifactName?: string;
        /** @description SHA-256 of the artifact */
        artifactDigest?: string;
        /** @description size of the artifact */
        artifactBytes?: number;
        metrics?: {
          [key: string]: number;
        };
        parameters?: {
          [key: string]: string;
        };
        /** @description what the data bindings brought, in their order */
        data?: {
          localPath: string;
          digest?: string;
          feedback?: {
            /**
             * Format: date-time
             * @description calls from here on
             */
            from: string;
            /**
             * Format: date-time
             * @description calls before this
             */
            to: string;
            /**
             * Format: date-time
             * @description feedback up to here
             */
            asOf: string;
            /** @description object in the platform's bucket that holds the rows */
            key?: string;
            sizeBytes?: number;
            counts?: {
              /** @description calls with feedback: the rows */
              joined: number;
              /** @description feedback of the window that names no answered call of it */
              orphaned: number;
              /** @description answered calls without feedback */
              unanswered: number;
              /** @description feedback that came too long after its call */
              late: number;
              /** @description feedback that later feedback on the same call replaces */
              replaced: number;
              /** @description records that are broken, or whose bodies were cut */
              dropped: number;
            };
          };
        }[];
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ModelTrainingRequest: {
      /** @constant */
      kind?: 'ModelTraining';
      id: string;
      spec: {
        /** @description name and version of the model */
        model: {
          /** @description letters, digits, -, _ and . */
          name?: string;
          /** @description as text, such as "1.0" */
          version?: string;
          /**
           * @description name of the artifact; may use Name, Version, RandomUUID and CommitID
           * @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip
           */
          artifactNameTemplate?: string;
        };
        /** @description id of a toolchain integration, such as ml-toolchain */
        toolchain: string;
        /**
         * @description entry point of the MLproject file
         * @default main
         */
        entrypoint?: string;
        /**
         * @description folder of the project, relative to the root of the repository
         * @default ./
         */
        workDir?: string;
        /** @description the code: exactly one of vcs and objectStorage */
        algorithmSource: {
          /** @description id of a connection of type git, and a branch, tag or commit; default: those of the connection */
          vcs?: {
            connection?: string;
            reference?: string;
          };
          /** @description id of a connection of an object store, and a path below it */
          objectStorage?: {
            connection?: string;
            path?: string;
          };
        };
        /** @description input data: files of a connection, or feedback of a served model, at localPath in the project */
        data?: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description relative to the root of the repository */
          localPath?: string;
          /** @description below the path of the connection */
          remotePath?: string;
          /** @description answered calls of a model with their feedback, instead of a connection */
          feedback?: {
            model?: string;
            version?: string;
            last?: string;
            from?: string;
            to?: string;
            /** @default P30D */
            within?: string;
            /** @default ndjson */
            format?: string;
            /** @default false */
            allowEmpty?: boolean;
          };
        }[];
        /** @description parameters of the entry point */
        hyperParameters?: {
          [key: string]: string;
        };
        /** @description variables of the program; valueFrom takes a secret of a connection that allows it */
        envs?: {
          name?: string;
          value?: string;
          valueFrom?: {
            connection?: string;
            field?: string;
          };
        }[];
        /** @description further arguments of the entry point */
        args?: string[];
        /** @description image of the job; default: that of the toolchain integration */
        image?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "250m",
         *         "memory": "512Mi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources?: {
          limits?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description id of the connection that stores the artifact; default: that of the installation */
        outputConnection?: string;
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector?: {
          [key: string]: string;
        };
      };
    };
    ModelPackaging: {
      /** @constant */
      kind: 'ModelPackaging';
      id: string;
      spec: {
        /**
         * @description name of the artifact, as the training shows it
         * @default
         */
        artifactName: string;
        /**
         * @description id of a packaging integration, such as container-rest
         * @default
         */
        integrationName: string;
        /** @description arguments of the packaging integration */
        arguments: {
          [key: string]: unknown;
        };
        /** @description connections by purpose, such as container-push */
        targets: {
          /**
           * @description such as container-push or container-pull
           * @default
           */
          name: string;
          /**
           * @description id of a connection of a registry
           * @default
           */
          connectionName: string;
        }[];
        /** @description image of the packager; default: that of the packaging integration */
        image?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "1",
         *         "memory": "1Gi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /**
         * @description id of the connection that stores the artifact; default: that of the installation
         * @default
         */
        outputConnection: string;
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector: {
          [key: string]: string;
        };
      };
      status: {
        /**
         * @description `succeeded` and `failed` are final; a canceled run is `failed`
         * @enum {string}
         */
        state: 'unknown' | 'scheduling' | 'running' | 'succeeded' | 'failed';
        /** @description name of the container that does the work */
        podName?: string;
        workflowId?: string;
        /** Format: date-time */
        startedAt?: string;
        /** Format: date-time */
        finishedAt?: string;
        /** @enum {string} */
        reason?:
          | 'SourceCheckoutFailed'
          | 'DataCopyFailed'
          | 'ToolchainFailed'
          | 'SelfCheckFailed'
          | 'ArtifactNotFound'
          | 'PredictionFailed'
          | 'PackagerFailed'
          | 'PushFailed'
          | 'ImagePullFailed'
          | 'ImageRefused'
          | 'CrashLoop'
          | 'ProbeFailed'
          | 'OutOfMemory'
          | 'OutOfStorage'
          | 'NoCapacity'
          | 'Timeout'
          | 'Evicted'
          | 'Cancelled'
          | 'SpecInvalid'
          | 'GateFailed'
          | 'RolledBack'
          | 'Rejected'
          | 'Conflict'
          | 'Protected'
          | 'QuotaExceeded'
          | 'Internal';
        /** @description one sentence with the last useful log line */
        message?: string;
        /** @description the step that gave up */
        step?: string;
        exitCode?: number;
        logTail?: string;
        /** @description every state so far */
        transitions: {
          state: string;
          /** Format: date-time */
          at: string;
        }[];
        /** @description the item named `image` is the first one */
        results: {
          name: string;
          value: string;
        }[];
        /** @description SHA-256 of the artifact */
        artifactDigest?: string;
        /** @description id of the image, by its content */
        imageId?: string;
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ModelPackagingRequest: {
      /** @constant */
      kind?: 'ModelPackaging';
      id: string;
      spec: {
        /** @description name of the artifact, as the training shows it */
        artifactName: string;
        /** @description id of a packaging integration, such as container-rest */
        integrationName: string;
        /** @description arguments of the packaging integration */
        arguments?: {
          [key: string]: unknown;
        };
        /** @description connections by purpose, such as container-push */
        targets?: {
          /** @description such as container-push or container-pull */
          name?: string;
          /** @description id of a connection of a registry */
          connectionName?: string;
        }[];
        /** @description image of the packager; default: that of the packaging integration */
        image?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "1",
         *         "memory": "1Gi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources?: {
          limits?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description id of the connection that stores the artifact; default: that of the installation */
        outputConnection?: string;
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector?: {
          [key: string]: string;
        };
      };
    };
    ModelDeployment: {
      /** @constant */
      kind: 'ModelDeployment';
      id: string;
      spec: {
        /**
         * @description full name of the image, as the result image of the packaging shows it
         * @default
         */
        image: string;
        /**
         * @description inference server of the image: platform-ml-server or tensor-server
         * @default
         */
        predictor: string;
        /**
         * @description role that may invoke the model; default: role-<id>
         * @default
         */
        roleName: string;
        roles?: string[];
        /**
         * @description 0: the deployment may scale to zero
         * @default 0
         */
        minReplicas: number;
        /**
         * @description at least 1, and minReplicas
         * @default 1
         */
        maxReplicas: number;
        /** @default false */
        suspended: boolean;
        /**
         * @description seconds beside the usual limit in which a replica that is started again is not replaced, however long it loads
         * @default 2
         */
        livenessProbeInitialDelay: number;
        /**
         * @description seconds beside the usual limit in which a replica must be ready
         * @default 2
         */
        readinessProbeInitialDelay: number;
        /** @description id of the connection to pull with; default: that of the installation */
        imagePullConnID?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "125m",
         *         "memory": "256Mi"
         *       },
         *       "limits": {
         *         "cpu": "1",
         *         "memory": "1Gi"
         *       }
         *     }
         */
        resources: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description `description` is shown in the catalog; other entries have no effect, and are taken so that existing manifests stay valid */
        annotations: {
          [key: string]: string;
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector: {
          [key: string]: string;
        };
        /**
         * @description whether requests, responses and feedback are recorded
         * @default true
         */
        feedback: boolean;
        /** @description values that records leave out (redact), and how long records are kept */
        records: {
          redact: string[];
          /** @default 0 */
          retentionDays: number;
        };
        /**
         * @description where replicas may connect to
         * @default none
         * @enum {string}
         */
        egress: 'none' | 'internet';
        /**
         * @description which images may run
         * @enum {string}
         */
        imagePolicy?: 'signed' | 'warn' | 'any';
        /**
         * @description whether only an admin and runs of `pipeline` may change it
         * @default false
         */
        protected: boolean;
        /** @description id of the pipeline that may change a protected deployment */
        pipeline?: string;
        rollout?: {
          steps: {
            /** @default 0 */
            weight: number;
            /** @default 60 */
            seconds: number;
          }[];
          /**
           * @default promote
           * @enum {string}
           */
          onNoTraffic: 'promote' | 'hold' | 'abort';
          allowSchemaChange?: boolean;
        };
      };
      status: {
        /** @enum {string} */
        state: 'Processing' | 'Ready' | 'Failed' | 'Deleting';
        replicas: number;
        availableReplicas: number;
        /** @description name of the running service */
        deployment: string;
        hostHeader?: string;
        /** Format: date-time */
        lastUpdatedTime?: string;
        modelName?: string;
        modelVersion?: string;
        /** @description digest of the manifest that serves */
        imageDigest?: string;
        /** @description id of the image that serves, by its content */
        imageId?: string;
        /** @description why the origin of the image that serves is not known */
        warning?: string;
        /** @enum {string} */
        reason?:
          | 'SourceCheckoutFailed'
          | 'DataCopyFailed'
          | 'ToolchainFailed'
          | 'SelfCheckFailed'
          | 'ArtifactNotFound'
          | 'PredictionFailed'
          | 'PackagerFailed'
          | 'PushFailed'
          | 'ImagePullFailed'
          | 'ImageRefused'
          | 'CrashLoop'
          | 'ProbeFailed'
          | 'OutOfMemory'
          | 'OutOfStorage'
          | 'NoCapacity'
          | 'Timeout'
          | 'Evicted'
          | 'Cancelled'
          | 'SpecInvalid'
          | 'GateFailed'
          | 'RolledBack'
          | 'Rejected'
          | 'Conflict'
          | 'Protected'
          | 'QuotaExceeded'
          | 'Internal';
        message?: string;
        /** @description the rollout of this generation */
        rollout?: {
          /** @enum {string} */
          state: 'baking' | 'paused' | 'promoted' | 'rolledBack';
          /** @description from 1 */
          step: number;
          steps: number;
          /** @description percent of the calls that the candidate gets */
          weight: number;
          /** @description generation that served before */
          stable: number;
          /** @description what was decided last, and why, with its numbers */
          message?: string;
          /** @description calls that the candidate got before it was rolled back */
          requests?: number;
          /** @description those of them that failed */
          failed?: number;
        };
        /** @description every state so far */
        transitions: {
          state: string;
          /** Format: date-time */
          at: string;
        }[];
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ModelDeploymentRequest: {
      /** @constant */
      kind?: 'ModelDeployment';
      id: string;
      spec: {
        /** @description full name of the image, as the result image of the packaging shows it */
        image: string;
        /** @description inference server of the image: platform-ml-server or tensor-server */
        predictor: string;
        /** @description role that may invoke the model; default: role-<id> */
        roleName?: string;
        roles?: string[];
        /**
         * @description 0: the deployment may scale to zero
         * @default 0
         */
        minReplicas?: number;
        /**
         * @description at least 1, and minReplicas
         * @default 1
         */
        maxReplicas?: number;
        /** @default false */
        suspended?: boolean;
        /**
         * @description seconds beside the usual limit in which a replica that is started again is not replaced, however long it loads
         * @default 2
         */
        livenessProbeInitialDelay?: number;
        /**
         * @description seconds beside the usual limit in which a replica must be ready
         * @default 2
         */
        readinessProbeInitialDelay?: number;
        /** @description id of the connection to pull with; default: that of the installation */
        imagePullConnID?: string;
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "125m",
         *         "memory": "256Mi"
         *       },
         *       "limits": {
         *         "cpu": "1",
         *         "memory": "1Gi"
         *       }
         *     }
         */
        resources?: {
          limits?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description `description` is shown in the catalog; other entries have no effect, and are taken so that existing manifests stay valid */
        annotations?: {
          [key: string]: string;
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector?: {
          [key: string]: string;
        };
        /**
         * @description whether requests, responses and feedback are recorded
         * @default true
         */
        feedback?: boolean;
        /** @description values that records leave out (redact), and how long records are kept */
        records?: {
          redact?: string[];
          /** @default 0 */
          retentionDays?: number;
        };
        /**
         * @description where replicas may connect to
         * @default none
         * @enum {string}
         */
        egress?: 'none' | 'internet';
        /**
         * @description which images may run
         * @enum {string}
         */
        imagePolicy?: 'signed' | 'warn' | 'any';
        /**
         * @description whether only an admin and runs of `pipeline` may change it
         * @default false
         */
        protected?: boolean;
        /** @description id of the pipeline that may change a protected deployment */
        pipeline?: string;
        rollout?: {
          steps?: {
            /** @default 0 */
            weight?: number;
            /** @default 60 */
            seconds?: number;
          }[];
          /**
           * @default promote
           * @enum {string}
           */
          onNoTraffic?: 'promote' | 'hold' | 'abort';
          allowSchemaChange?: boolean;
        };
      };
    };
    ModelRoute: {
      /** @constant */
      kind: 'ModelRoute';
      id: string;
      spec: {
        /**
         * @description address below the platform, such as /custom/wine
         * @default
         */
        urlPrefix: string;
        /** @description id of a deployment that gets a copy of every request */
        mirror?: string;
        /** @description weights add up to 100 */
        modelDeployments: {
          /**
           * @description id of a deployment
           * @default
           */
          mdName: string;
          /**
           * @description percent of the traffic
           * @default 100
           */
          weight: number;
        }[];
        sticky: {
          /** @description name of a header */
          header?: string;
          /** @description name of a cookie that the gateway sets */
          cookie?: string;
          /** @description field of the JSON body, such as `customer.id` or `data.0.0` */
          field?: string;
        };
      };
      status: {
        /** @description absolute; append `/api/model/info` or `/api/model/invoke` */
        edgeUrl: string;
        /** @enum {string} */
        state: '' | 'Processing' | 'Ready';
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ModelRouteRequest: {
      /** @constant */
      kind?: 'ModelRoute';
      id: string;
      spec: {
        /** @description address below the platform, such as /custom/wine */
        urlPrefix: string;
        /** @description id of a deployment that gets a copy of every request */
        mirror?: string;
        /** @description weights add up to 100 */
        modelDeployments: {
          /** @description id of a deployment */
          mdName?: string;
          /**
           * @description percent of the traffic
           * @default 100
           */
          weight?: number;
        }[];
        sticky?: {
          /** @description name of a header */
          header?: string;
          /** @description name of a cookie that the gateway sets */
          cookie?: string;
          /** @description field of the JSON body, such as `customer.id` or `data.0.0` */
          field?: string;
        };
      };
    };
    ModelPipeline: {
      /** @constant */
      kind: 'ModelPipeline';
      id: string;
      spec: {
        /** @description declared parameters with their defaults; templates use {{ parameters.NAME }} */
        parameters: {
          [key: string]: string;
        };
        /**
         * @description version of the model; may use {{ run }}, the number of the run
         * @default {{ run }}
         */
        version: string;
        /** @description template of the training */
        training: {
          /** @description name and version of the model */
          model: {
            /**
             * @description letters, digits, -, _ and .
             * @default
             */
            name: string;
            /**
             * @description as text, such as "1.0"
             * @default
             */
            version: string;
            /**
             * @description name of the artifact; may use Name, Version, RandomUUID and CommitID
             * @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip
             */
            artifactNameTemplate: string;
          };
          /**
           * @description id of a toolchain integration, such as ml-toolchain
           * @default
           */
          toolchain: string;
          /**
           * @description entry point of the MLproject file
           * @default main
           */
          entrypoint: string;
          /**
           * @description folder of the project, relative to the root of the repository
           * @default ./
           */
          workDir: string;
          /** @description the code: exactly one of vcs and objectStorage */
          algorithmSource: {
            /** @description id of a connection of type git, and a branch, tag or commit; default: those of the connection */
            vcs: {
              connection?: string;
              reference?: string;
            };
            /** @description id of a connection of an object store, and a path below it */
            objectStorage: {
              connection?: string;
              path?: string;
            };
          };
          /** @description input data: files of a connection, or feedback of a served model, at localPath in the project */
          data: {
            /**
             * @description id of a connection of an object store
             * @default
             */
            connection: string;
            /**
             * @description relative to the root of the repository
             * @default
             */
            localPath: string;
            /** @description below the path of the connection */
            remotePath?: string;
            /** @description answered calls of a model with their feedback, instead of a connection */
            feedback?: {
              /** @default  */
              model: string;
              version?: string;
              last?: string;
              from?: string;
              to?: string;
              /** @default P30D */
              within: string;
              /** @default ndjson */
              format: string;
              /** @default false */
              allowEmpty: boolean;
            };
          }[];
          /** @description parameters of the entry point */
          hyperParameters: {
            [key: string]: string;
          };
          /** @description variables of the program; valueFrom takes a secret of a connection that allows it */
          envs: {
            /** @default  */
            name: string;
            /** @default  */
            value: string;
            valueFrom?: {
              /** @default  */
              connection: string;
              /** @default  */
              field: string;
            };
          }[];
          /** @description further arguments of the entry point */
          args: string[];
          /** @description image of the job; default: that of the toolchain integration */
          image?: string;
          /**
           * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
           * @default {
           *       "requests": {
           *         "cpu": "250m",
           *         "memory": "512Mi"
           *       },
           *       "limits": {
           *         "cpu": "2",
           *         "memory": "2Gi"
           *       }
           *     }
           */
          resources: {
            limits: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
            requests: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
          };
          /**
           * @description id of the connection that stores the artifact; default: that of the installation
           * @default
           */
          outputConnection: string;
          /** @description labels of one configured node pool; empty: any pool */
          nodeSelector: {
            [key: string]: string;
          };
        };
        /** @description template of the packaging; without integrationName the pipeline ends with the artifact */
        packaging: {
          /**
           * @description name of the artifact, as the training shows it
           * @default
           */
          artifactName: string;
          /**
           * @description id of a packaging integration, such as container-rest
           * @default
           */
          integrationName: string;
          /** @description arguments of the packaging integration */
          arguments: {
            [key: string]: unknown;
          };
          /** @description connections by purpose, such as container-push */
          targets: {
            /**
             * @description such as container-push or container-pull
             * @default
             */
            name: string;
            /**
             * @description id of a connection of a registry
             * @default
             */
            connectionName: string;
          }[];
          /** @description image of the packager; default: that of the packaging integration */
          image?: string;
          /**
           * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
           * @default {
           *       "requests": {
           *         "cpu": "1",
           *         "memory": "1Gi"
           *       },
           *       "limits": {
           *         "cpu": "2",
           *         "memory": "2Gi"
           *       }
           *     }
           */
          resources: {
            limits: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
            requests: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
          };
          /**
           * @description id of the connection that stores the artifact; default: that of the installation
           * @default
           */
          outputConnection: string;
          /** @description labels of one configured node pool; empty: any pool */
          nodeSelector: {
            [key: string]: string;
          };
        };
        /** @description the deployment that gets the image; without id the pipeline ends with the image */
        deployment: {
          /** @default  */
          id: string;
          spec: {
            /**
             * @description full name of the image, as the result image of the packaging shows it
             * @default
             */
            image: string;
            /**
             * @description inference server of the image: platform-ml-server or tensor-server
             * @default
             */
            predictor: string;
            /**
             * @description role that may invoke the model; default: role-<id>
             * @default
             */
            roleName: string;
            roles?: string[];
            /**
             * @description 0: the deployment may scale to zero
             * @default 0
             */
            minReplicas: number;
            /**
             * @description at least 1, and minReplicas
             * @default 1
             */
            maxReplicas: number;
            /** @default false */
            suspended: boolean;
            /**
             * @description seconds beside the usual limit in which a replica that is started again is not replaced, however long it loads
             * @default 2
             */
            livenessProbeInitialDelay: number;
            /**
             * @description seconds beside the usual limit in which a replica must be ready
             * @default 2
             */
            readinessProbeInitialDelay: number;
            /** @description id of the connection to pull with; default: that of the installation */
            imagePullConnID?: string;
            /**
             * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
             * @default {
             *       "requests": {
             *         "cpu": "125m",
             *         "memory": "256Mi"
             *       },
             *       "limits": {
             *         "cpu": "1",
             *         "memory": "1Gi"
             *       }
             *     }
             */
            resources: {
              limits: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
              requests: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
            };
            /** @description `description` is shown in the catalog; other entries have no effect, and are taken so that existing manifests stay valid */
            annotations: {
              [key: string]: string;
            };
            /** @description labels of one configured node pool; empty: any pool */
            nodeSelector: {
              [key: string]: string;
            };
            /**
             * @description whether requests, responses and feedback are recorded
             * @default true
             */
            feedback: boolean;
            /** @description values that records leave out (redact), and how long records are kept */
            records: {
              redact: string[];
              /** @default 0 */
              retentionDays: number;
            };
            /**
             * @description where replicas may connect to
             * @default none
             * @enum {string}
             */
            egress: 'none' | 'internet';
            /**
             * @description which images may run
             * @enum {string}
             */
            imagePolicy?: 'signed' | 'warn' | 'any';
            /**
             * @description whether only an admin and runs of `pipeline` may change it
             * @default false
             */
            protected: boolean;
            /** @description id of the pipeline that may change a protected deployment */
            pipeline?: string;
            rollout?: {
              steps: {
                /** @default 0 */
                weight: number;
                /** @default 60 */
                seconds: number;
              }[];
              /**
               * @default promote
               * @enum {string}
               */
              onNoTraffic: 'promote' | 'hold' | 'abort';
              allowSchemaChange?: boolean;
            };
          };
        };
        /** @description conditions between the steps; a gate that is given is on */
        gates: {
          /** @description limits on metrics that the training logged */
          metrics: {
            /** @default  */
            metric: string;
            min?: number;
            max?: number;
          }[];
          /** @description better than the model that serves now, by margin */
          serving: {
            /** @default  */
            metric: string;
            /** @default minimize */
            goal: string;
            /** @default 0 */
            margin: number;
          }[];
          /** @description the image answers a stored sample set well enough */
          heldOut: {
            connection?: string;
            path?: string;
            /** @default  */
            metric: string;
            min?: number;
            max?: number;
          };
          /** @description a person with one of the roles approves the run */
          approval: {
            /** @default false */
            required: boolean;
            roles: string[];
            allowAuthor?: boolean;
            /** @default 604800 */
            timeoutSeconds: number;
          };
        };
        /** @description what starts runs beside a call; a trigger that is given is on */
        triggers: {
          /** @description five fields of cron in an IANA time zone */
          schedule: {
            cron?: string;
            /** @default UTC */
            timeZone: string;
            /** @default 0 */
            jitterSeconds: number;
            /** @default 60 */
            catchupSeconds: number;
          };
          /** @description after so many new feedback records; 0: off */
          feedback: {
            /** @default 0 */
            records: number;
          };
          /** @description the error of the served model is above limit */
          drift: {
            measure?: string;
            /** @default 0 */
            limit: number;
            /** @default /prediction/0 */
            prediction: string;
            /** @default  */
            truth: string;
            /** @default 100 */
            samples: number;
            /** @default 86400 */
            windowSeconds: number;
          };
          /**
           * @description objects behind the data of the training change
           * @default false
           */
          data: boolean;
          /** @description a signed message arrives */
          webhook: {
            /** @default false */
            enabled: boolean;
            /** @default 1 */
            secretVersion: number;
            events?: string[];
            branches?: string[];
          };
        };
        /**
         * @description restore: a deployment that failed gets its former spec; keep: it stays
         * @default restore
         */
        onFailure: string;
        /** @description addresses that receive events of runs */
        notify: {
          /** @default  */
          url: string;
          on: string[];
        }[];
        /**
         * @description never reuse what an earlier run made of the same inputs
         * @default false
         */
        noCache: boolean;
      };
      status: {
        /** @description number of the newest run; 0 before the first */
        lastRun: number;
        paused?: {
          by: string;
          /** Format: date-time */
          at: string;
          note: string;
        };
        /** @description the newest run that a quota refused to a trigger, since the last run */
        refused?: {
          /** @enum {string} */
          trigger: 'api' | 'schedule' | 'feedback' | 'drift' | 'data' | 'webhook';
          /** Format: date-time */
          at: string;
          message: string;
        };
        /** @description how far each trigger has come */
        positions: {
          [key: string]: string;
        };
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    ModelPipelineRequest: {
      /** @constant */
      kind?: 'ModelPipeline';
      id: string;
      spec: {
        /** @description declared parameters with their defaults; templates use {{ parameters.NAME }} */
        parameters?: {
          [key: string]: string;
        };
        /**
         * @description version of the model; may use {{ run }}, the number of the run
         * @default {{ run }}
         */
        version?: string;
        /** @description template of the training */
        training: {
          /** @description name and version of the model */
          model?: {
            /** @description letters, digits, -, _ and . */
            name?: string;
            /** @description as text, such as "1.0" */
            version?: string;
            /**
             * @description name of the artifact; may use Name, Version, RandomUUID and CommitID
             * @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip
             */
            artifactNameTemplate?: string;
          };
          /** @description id of a toolchain integration, such as ml-toolchain */
          toolchain?: string;
          /**
           * @description entry point of the MLproject file
           * @default main
           */
          entrypoint?: string;
          /**
           * @description folder of the project, relative to the root of the repository
           * @default ./
           */
          workDir?: string;
          /** @description the code: exactly one of vcs and objectStorage */
          algorithmSource?: {
            /** @description id of a connection of type git, and a branch, tag or commit; default: those of the connection */
            vcs?: {
              connection?: string;
              reference?: string;
            };
            /** @description id of a connection of an object store, and a path below it */
            objectStorage?: {
              connection?: string;
              path?: string;
            };
          };
          /** @description input data: files of a connection, or feedback of a served model, at localPath in the project */
          data?: {
            /** @description id of a connection of an object store */
            connection?: string;
            /** @description relative to the root of the repository */
            localPath?: string;
            /** @description below the path of the connection */
            remotePath?: string;
            /** @description answered calls of a model with their feedback, instead of a connection */
            feedback?: {
              model?: string;
              version?: string;
              last?: string;
              from?: string;
              to?: string;
              /** @default P30D */
              within?: string;
              /** @default ndjson */
              format?: string;
              /** @default false */
              allowEmpty?: boolean;
            };
          }[];
          /** @description parameters of the entry point */
          hyperParameters?: {
            [key: string]: string;
          };
          /** @description variables of the program; valueFrom takes a secret of a connection that allows it */
          envs?: {
            name?: string;
            value?: string;
            valueFrom?: {
              connection?: string;
              field?: string;
            };
          }[];
          /** @description further arguments of the entry point */
          args?: string[];
          /** @description image of the job; default: that of the toolchain integration */
          image?: string;
          /**
           * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
           * @default {
           *       "requests": {
           *         "cpu": "250m",
           *         "memory": "512Mi"
           *       },
           *       "limits": {
           *         "cpu": "2",
           *         "memory": "2Gi"
           *       }
           *     }
           */
          resources?: {
            limits?: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
            requests?: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
          };
          /** @description id of the connection that stores the artifact; default: that of the installation */
          outputConnection?: string;
          /** @description labels of one configured node pool; empty: any pool */
          nodeSelector?: {
            [key: string]: string;
          };
        };
        /** @description template of the packaging; without integrationName the pipeline ends with the artifact */
        packaging?: {
          /** @description name of the artifact, as the training shows it */
          artifactName?: string;
          /** @description id of a packaging integration, such as container-rest */
          integrationName?: string;
          /** @description arguments of the packaging integration */
          arguments?: {
            [key: string]: unknown;
          };
          /** @description connections by purpose, such as container-push */
          targets?: {
            /** @description such as container-push or container-pull */
            name?: string;
            /** @description id of a connection of a registry */
            connectionName?: string;
          }[];
          /** @description image of the packager; default: that of the packaging integration */
          image?: string;
          /**
           * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
           * @default {
           *       "requests": {
           *         "cpu": "1",
           *         "memory": "1Gi"
           *       },
           *       "limits": {
           *         "cpu": "2",
           *         "memory": "2Gi"
           *       }
           *     }
           */
          resources?: {
            limits?: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
            requests?: {
              cpu?: string;
              memory?: string;
              gpu?: string;
            };
          };
          /** @description id of the connection that stores the artifact; default: that of the installation */
          outputConnection?: string;
          /** @description labels of one configured node pool; empty: any pool */
          nodeSelector?: {
            [key: string]: string;
          };
        };
        /** @description the deployment that gets the image; without id the pipeline ends with the image */
        deployment?: {
          id?: string;
          spec?: {
            /** @description full name of the image, as the result image of the packaging shows it */
            image?: string;
            /** @description inference server of the image: platform-ml-server or tensor-server */
            predictor?: string;
            /** @description role that may invoke the model; default: role-<id> */
            roleName?: string;
            roles?: string[];
            /**
             * @description 0: the deployment may scale to zero
             * @default 0
             */
            minReplicas?: number;
            /**
             * @description at least 1, and minReplicas
             * @default 1
             */
            maxReplicas?: number;
            /** @default false */
            suspended?: boolean;
            /**
             * @description seconds beside the usual limit in which a replica that is started again is not replaced, however long it loads
             * @default 2
             */
            livenessProbeInitialDelay?: number;
            /**
             * @description seconds beside the usual limit in which a replica must be ready
             * @default 2
             */
            readinessProbeInitialDelay?: number;
            /** @description id of the connection to pull with; default: that of the installation */
            imagePullConnID?: string;
            /**
             * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
             * @default {
             *       "requests": {
             *         "cpu": "125m",
             *         "memory": "256Mi"
             *       },
             *       "limits": {
             *         "cpu": "1",
             *         "memory": "1Gi"
             *       }
             *     }
             */
            resources?: {
              limits?: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
              requests?: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
            };
            /** @description `description` is shown in the catalog; other entries have no effect, and are taken so that existing manifests stay valid */
            annotations?: {
              [key: string]: string;
            };
            /** @description labels of one configured node pool; empty: any pool */
            nodeSelector?: {
              [key: string]: string;
            };
            /**
             * @description whether requests, responses and feedback are recorded
             * @default true
             */
            feedback?: boolean;
            /** @description values that records leave out (redact), and how long records are kept */
            records?: {
              redact?: string[];
              /** @default 0 */
              retentionDays?: number;
            };
            /**
             * @description where replicas may connect to
             * @default none
             * @enum {string}
             */
            egress?: 'none' | 'internet';
            /**
             * @description which images may run
             * @enum {string}
             */
            imagePolicy?: 'signed' | 'warn' | 'any';
            /**
             * @description whether only an admin and runs of `pipeline` may change it
             * @default false
             */
            protected?: boolean;
            /** @description id of the pipeline that may change a protected deployment */
            pipeline?: string;
            rollout?: {
              steps?: {
                /** @default 0 */
                weight?: number;
                /** @default 60 */
                seconds?: number;
              }[];
              /**
               * @default promote
               * @enum {string}
               */
              onNoTraffic?: 'promote' | 'hold' | 'abort';
              allowSchemaChange?: boolean;
            };
          };
        };
        /** @description conditions between the steps; a gate that is given is on */
        gates?: {
          /** @description limits on metrics that the training logged */
          metrics?: {
            metric?: string;
            min?: number;
            max?: number;
          }[];
          /** @description better than the model that serves now, by margin */
          serving?: {
            metric?: string;
            /** @default minimize */
            goal?: string;
            /** @default 0 */
            margin?: number;
          }[];
          /** @description the image answers a stored sample set well enough */
          heldOut?: {
            connection?: string;
            path?: string;
            metric?: string;
            min?: number;
            max?: number;
          };
          /** @description a person with one of the roles approves the run */
          approval?: {
            /** @default false */
            required?: boolean;
            roles?: string[];
            allowAuthor?: boolean;
            /** @default 604800 */
            timeoutSeconds?: number;
          };
        };
        /** @description what starts runs beside a call; a trigger that is given is on */
        triggers?: {
          /** @description five fields of cron in an IANA time zone */
          schedule?: {
            cron?: string;
            /** @default UTC */
            timeZone?: string;
            /** @default 0 */
            jitterSeconds?: number;
            /** @default 60 */
            catchupSeconds?: number;
          };
          /** @description after so many new feedback records; 0: off */
          feedback?: {
            /** @default 0 */
            records?: number;
          };
          /** @description the error of the served model is above limit */
          drift?: {
            measure?: string;
            /** @default 0 */
            limit?: number;
            /** @default /prediction/0 */
            prediction?: string;
            truth?: string;
            /** @default 100 */
            samples?: number;
            /** @default 86400 */
            windowSeconds?: number;
          };
          /**
           * @description objects behind the data of the training change
           * @default false
           */
          data?: boolean;
          /** @description a signed message arrives */
          webhook?: {
            /** @default false */
            enabled?: boolean;
            /** @default 1 */
            secretVersion?: number;
            events?: string[];
            branches?: string[];
          };
        };
        /**
         * @description restore: a deployment that failed gets its former spec; keep: it stays
         * @default restore
         */
        onFailure?: string;
        /** @description addresses that receive events of runs */
        notify?: {
          url?: string;
          on?: string[];
        }[];
        /**
         * @description never reuse what an earlier run made of the same inputs
         * @default false
         */
        noCache?: boolean;
      };
    };
    InferenceService: {
      /** @constant */
      kind: 'InferenceService';
      id: string;
      spec: {
        /**
         * @description image of the program, such as the result of a packaging with container-cli
         * @default
         */
        image: string;
        /** @description the program; replaces the entry point of the image */
        command: string[];
        /** @description its arguments; the name of the input file and of the output folder come after them */
        args: string[];
        modelRegistry: {
          /** @description a model that is not in the image: its files are put at the path in SLIPWAY_MODEL_PATH */
          remote: {
            modelConnection?: string;
            modelPath?: string;
          };
          /** @description a model that is in the image */
          local: {
            meta: {
              /** @default  */
              name: string;
              /** @default  */
              version: string;
            };
            modelPath?: string;
          };
        };
        dataSource: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the input files: all below it, or this one */
          path?: string;
        };
        outputDestination: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the output of a file goes to <id of the job>/<name of the file>/ below it */
          path?: string;
        };
        /** @description whether jobs can be created */
        triggers: {
          webhook: {
            /** @default true */
            enabled: boolean;
          };
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector: {
          [key: string]: string;
        };
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "250m",
         *         "memory": "512Mi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
      };
      status: Record<string, never>;
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    InferenceServiceRequest: {
      /** @constant */
      kind?: 'InferenceService';
      id: string;
      spec: {
        /** @description image of the program, such as the result of a packaging with container-cli */
        image: string;
        /** @description the program; replaces the entry point of the image */
        command: string[];
        /** @description its arguments; the name of the input file and of the output folder come after them */
        args?: string[];
        modelRegistry: {
          /** @description a model that is not in the image: its files are put at the path in SLIPWAY_MODEL_PATH */
          remote?: {
            modelConnection?: string;
            modelPath?: string;
          };
          /** @description a model that is in the image */
          local?: {
            meta?: {
              name?: string;
              version?: string;
            };
            modelPath?: string;
          };
        };
        dataSource?: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the input files: all below it, or this one */
          path?: string;
        };
        outputDestination?: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the output of a file goes to <id of the job>/<name of the file>/ below it */
          path?: string;
        };
        /** @description whether jobs can be created */
        triggers?: {
          webhook?: {
            /** @default true */
            enabled?: boolean;
          };
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector?: {
          [key: string]: string;
        };
        /**
         * @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1
         * @default {
         *       "requests": {
         *         "cpu": "250m",
         *         "memory": "512Mi"
         *       },
         *       "limits": {
         *         "cpu": "2",
         *         "memory": "2Gi"
         *       }
         *     }
         */
        resources?: {
          limits?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
      };
    };
    InferenceJob: {
      /** @constant */
      kind: 'InferenceJob';
      id: string;
      spec: {
        /**
         * @description id of an inference service; what the job leaves out is that of the service
         * @default
         */
        inferenceServiceId: string;
        dataSource: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the input files: all below it, or this one */
          path?: string;
        };
        outputDestination: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the output of a file goes to <id of the job>/<name of the file>/ below it */
          path?: string;
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector: {
          [key: string]: string;
        };
        /** @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1 */
        resources?: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description your name for the job, in SLIPWAY_REQUEST_ID; default: a UUID */
        requestId?: string;
      };
      status: {
        /**
         * @description `succeeded` and `failed` are final; a canceled run is `failed`
         * @enum {string}
         */
        state: 'unknown' | 'scheduling' | 'running' | 'succeeded' | 'failed';
        /** @description name of the container that does the work */
        podName?: string;
        workflowId?: string;
        /** Format: date-time */
        startedAt?: string;
        /** Format: date-time */
        finishedAt?: string;
        /** @enum {string} */
        reason?:
          | 'SourceCheckoutFailed'
          | 'DataCopyFailed'
          | 'ToolchainFailed'
          | 'SelfCheckFailed'
          | 'ArtifactNotFound'
          | 'PredictionFailed'
          | 'PackagerFailed'
          | 'PushFailed'
          | 'ImagePullFailed'
          | 'ImageRefused'
          | 'CrashLoop'
          | 'ProbeFailed'
          | 'OutOfMemory'
          | 'OutOfStorage'
          | 'NoCapacity'
          | 'Timeout'
          | 'Evicted'
          | 'Cancelled'
          | 'SpecInvalid'
          | 'GateFailed'
          | 'RolledBack'
          | 'Rejected'
          | 'Conflict'
          | 'Protected'
          | 'QuotaExceeded'
          | 'Internal';
        /** @description one sentence with the last useful log line */
        message?: string;
        /** @description the step that gave up */
        step?: string;
        exitCode?: number;
        logTail?: string;
        /** @description every state so far */
        transitions: {
          state: string;
          /** Format: date-time */
          at: string;
        }[];
        /** @description input files whose output is stored, and all of them */
        files?: {
          done: number;
          total: number;
        };
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    InferenceJobRequest: {
      /** @constant */
      kind?: 'InferenceJob';
      /** @description ignored: the server draws one */
      id?: string;
      spec: {
        /** @description id of an inference service; what the job leaves out is that of the service */
        inferenceServiceId: string;
        dataSource?: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the input files: all below it, or this one */
          path?: string;
        };
        outputDestination?: {
          /** @description id of a connection of an object store */
          connection?: string;
          /** @description the output of a file goes to <id of the job>/<name of the file>/ below it */
          path?: string;
        };
        /** @description labels of one configured node pool; empty: any pool */
        nodeSelector?: {
          [key: string]: string;
        };
        /** @description requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1 */
        resources?: {
          limits?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests?: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        /** @description your name for the job, in SLIPWAY_REQUEST_ID; default: a UUID */
        requestId?: string;
      };
    };
    PipelineRun: {
      /** @constant */
      kind: 'PipelineRun';
      id: string;
      spec: {
        pipeline: string;
        number: number;
        parameters: {
          [key: string]: string;
        };
        version: string;
        noCache: boolean;
        /** @description why the run was made */
        trigger: {
          /** @enum {string} */
          type: 'api' | 'schedule' | 'feedback' | 'drift' | 'data' | 'webhook';
          /** Format: date-time */
          at: string;
          by?: string;
          message?: string;
          key?: string;
          position?: string;
        };
        /** @description the spec of the pipeline when the run was made */
        template: {
          parameters: {
            [key: string]: string;
          };
          /** @default {{ run }} */
          version: string;
          training: {
            model: {
              /** @default  */
              name: string;
              /** @default  */
              version: string;
              /** @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip */
              artifactNameTemplate: string;
            };
            /** @default  */
            toolchain: string;
            /** @default main */
            entrypoint: string;
            /** @default ./ */
            workDir: string;
            algorithmSource: {
              vcs: {
                connection?: string;
                reference?: string;
              };
              objectStorage: {
                connection?: string;
                path?: string;
              };
            };
            data: {
              /** @default  */
              connection: string;
              /** @default  */
              localPath: string;
              remotePath?: string;
              feedback?: {
                /** @default  */
                model: string;
                version?: string;
                last?: string;
                from?: string;
                to?: string;
                /** @default P30D */
                within: string;
                /** @default ndjson */
                format: string;
                /** @default false */
                allowEmpty: boolean;
              };
            }[];
            hyperParameters: {
              [key: string]: string;
            };
            envs: {
              /** @default  */
              name: string;
              /** @default  */
              value: string;
              valueFrom?: {
                /** @default  */
                connection: string;
                /** @default  */
                field: string;
              };
            }[];
            args: string[];
            image?: string;
            /**
             * @default {
             *       "requests": {
             *         "cpu": "250m",
             *         "memory": "512Mi"
             *       },
             *       "limits": {
             *         "cpu": "2",
             *         "memory": "2Gi"
             *       }
             *     }
             */
            resources: {
              limits: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
              requests: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
            };
            /** @default  */
            outputConnection: string;
            nodeSelector: {
              [key: string]: string;
            };
          };
          packaging: {
            /** @default  */
            artifactName: string;
            /** @default  */
            integrationName: string;
            arguments: {
              [key: string]: unknown;
            };
            targets: {
              /** @default  */
              name: string;
              /** @default  */
              connectionName: string;
            }[];
            image?: string;
            /**
             * @default {
             *       "requests": {
             *         "cpu": "1",
             *         "memory": "1Gi"
             *       },
             *       "limits": {
             *         "cpu": "2",
             *         "memory": "2Gi"
             *       }
             *     }
             */
            resources: {
              limits: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
              requests: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
            };
            /** @default  */
            outputConnection: string;
            nodeSelector: {
              [key: string]: string;
            };
          };
          deployment: {
            /** @default  */
            id: string;
            spec: {
              /** @default  */
              image: string;
              /** @default  */
              predictor: string;
              /** @default  */
              roleName: string;
              roles?: string[];
              /** @default 0 */
              minReplicas: number;
              /** @default 1 */
              maxReplicas: number;
              /** @default false */
              suspended: boolean;
              /** @default 2 */
              livenessProbeInitialDelay: number;
              /** @default 2 */
              readinessProbeInitialDelay: number;
              imagePullConnID?: string;
              /**
               * @default {
               *       "requests": {
               *         "cpu": "125m",
               *         "memory": "256Mi"
               *       },
               *       "limits": {
               *         "cpu": "1",
               *         "memory": "1Gi"
               *       }
               *     }
               */
              resources: {
                limits: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
                requests: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
              };
              annotations: {
                [key: string]: string;
              };
              nodeSelector: {
                [key: string]: string;
              };
              /** @default true */
              feedback: boolean;
              records: {
                redact: string[];
                /** @default 0 */
                retentionDays: number;
              };
              /**
               * @default none
               * @enum {string}
               */
              egress: 'none' | 'internet';
              /** @enum {string} */
              imagePolicy?: 'signed' | 'warn' | 'any';
              /** @default false */
              protected: boolean;
              pipeline?: string;
              rollout?: {
                steps: {
                  /** @default 0 */
                  weight: number;
                  /** @default 60 */
                  seconds: number;
                }[];
                /**
                 * @default promote
                 * @enum {string}
                 */
                onNoTraffic: 'promote' | 'hold' | 'abort';
                allowSchemaChange?: boolean;
              };
            };
          };
          gates: {
            metrics: {
              /** @default  */
              metric: string;
              min?: number;
              max?: number;
            }[];
            serving: {
              /** @default  */
              metric: string;
              /** @default minimize */
              goal: string;
              /** @default 0 */
              margin: number;
            }[];
            heldOut: {
              connection?: string;
              path?: string;
              /** @default  */
              metric: string;
              min?: number;
              max?: number;
            };
            approval: {
              /** @default false */
              required: boolean;
              roles: string[];
              allowAuthor?: boolean;
              /** @default 604800 */
              timeoutSeconds: number;
            };
          };
          triggers: {
            schedule: {
              cron?: string;
              /** @default UTC */
              timeZone: string;
              /** @default 0 */
              jitterSeconds: number;
              /** @default 60 */
              catchupSeconds: number;
            };
            feedback: {
              /** @default 0 */
              records: number;
            };
            drift: {
              measure?: string;
              /** @default 0 */
              limit: number;
              /** @default /prediction/0 */
              prediction: string;
              /** @default  */
              truth: string;
              /** @default 100 */
              samples: number;
              /** @default 86400 */
              windowSeconds: number;
            };
            /** @default false */
            data: boolean;
            webhook: {
              /** @default false */
              enabled: boolean;
              /** @default 1 */
              secretVersion: number;
              events?: string[];
              branches?: string[];
            };
          };
          /** @default restore */
          onFailure: string;
          notify: {
            /** @default  */
            url: string;
            on: string[];
          }[];
          /** @default false */
          noCache: boolean;
        };
      };
      status: {
        /**
         * @description `succeeded` and `failed` are final; a canceled run is `failed`
         * @enum {string}
         */
        state: 'unknown' | 'scheduling' | 'running' | 'succeeded' | 'failed';
        /** @description name of the container that does the work */
        podName?: string;
        workflowId?: string;
        /** Format: date-time */
        startedAt?: string;
        /** Format: date-time */
        finishedAt?: string;
        /** @enum {string} */
        reason?:
          | 'SourceCheckoutFailed'
          | 'DataCopyFailed'
          | 'ToolchainFailed'
          | 'SelfCheckFailed'
          | 'ArtifactNotFound'
          | 'PredictionFailed'
          | 'PackagerFailed'
          | 'PushFailed'
          | 'ImagePullFailed'
          | 'ImageRefused'
          | 'CrashLoop'
          | 'ProbeFailed'
          | 'OutOfMemory'
          | 'OutOfStorage'
          | 'NoCapacity'
          | 'Timeout'
          | 'Evicted'
          | 'Cancelled'
          | 'SpecInvalid'
          | 'GateFailed'
          | 'RolledBack'
          | 'Rejected'
          | 'Conflict'
          | 'Protected'
          | 'QuotaExceeded'
          | 'Internal';
        /** @description one sentence with the last useful log line */
        message?: string;
        /** @description the step that gave up */
        step?: string;
        exitCode?: number;
        logTail?: string;
        /** @description every state so far */
        transitions: {
          state: string;
          /** Format: date-time */
          at: string;
        }[];
        steps: {
          /** @enum {string} */
          name: 'resolve' | 'training' | 'metrics' | 'packaging' | 'heldOut' | 'approval' | 'deployment';
          /** @enum {string} */
          state: 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';
          /** Format: date-time */
          startedAt: string;
          /** Format: date-time */
          finishedAt?: string;
          /** @description the entity that does the work, such as `training/wine-3` */
          child?: string;
          /** @description the entity whose result was taken */
          reusedFrom?: string;
          /** @description why nothing was reused */
          reuseMiss?: string;
          /** @description key of what the step was made of */
          inputs?: string;
          /** @enum {string} */
          reason?:
            | 'SourceCheckoutFailed'
            | 'DataCopyFailed'
            | 'ToolchainFailed'
            | 'SelfCheckFailed'
            | 'ArtifactNotFound'
            | 'PredictionFailed'
            | 'PackagerFailed'
            | 'PushFailed'
            | 'ImagePullFailed'
            | 'ImageRefused'
            | 'CrashLoop'
            | 'ProbeFailed'
            | 'OutOfMemory'
            | 'OutOfStorage'
            | 'NoCapacity'
            | 'Timeout'
            | 'Evicted'
            | 'Cancelled'
            | 'SpecInvalid'
            | 'GateFailed'
            | 'RolledBack'
            | 'Rejected'
            | 'Conflict'
            | 'Protected'
            | 'QuotaExceeded'
            | 'Internal';
          message?: string;
        }[];
        gates: {
          /** @enum {string} */
          gate: 'metrics' | 'serving' | 'heldOut';
          passed: boolean;
          message: string;
        }[];
        approval?: {
          /** @enum {string} */
          decision: 'approved' | 'rejected';
          by: string;
          /** Format: date-time */
          at: string;
          reason: string;
        };
        commit?: string;
        modelName?: string;
        modelVersion?: string;
        artifactName?: string;
        metrics?: {
          [key: string]: number;
        };
        image?: string;
        imageDigest?: string;
        deployed?: {
          id: string;
          generation: number;
          previous?: {
            /** @default  */
            image: string;
            /** @default  */
            predictor: string;
            /** @default  */
            roleName: string;
            roles?: string[];
            /** @default 0 */
            minReplicas: number;
            /** @default 1 */
            maxReplicas: number;
            /** @default false */
            suspended: boolean;
            /** @default 2 */
            livenessProbeInitialDelay: number;
            /** @default 2 */
            readinessProbeInitialDelay: number;
            imagePullConnID?: string;
            /**
             * @default {
             *       "requests": {
             *         "cpu": "125m",
             *         "memory": "256Mi"
             *       },
             *       "limits": {
             *         "cpu": "1",
             *         "memory": "1Gi"
             *       }
             *     }
             */
            resources: {
              limits: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
              requests: {
                cpu?: string;
                memory?: string;
                gpu?: string;
              };
            };
            annotations: {
              [key: string]: string;
            };
            nodeSelector: {
              [key: string]: string;
            };
            /** @default true */
            feedback: boolean;
            records: {
              redact: string[];
              /** @default 0 */
              retentionDays: number;
            };
            /**
             * @default none
             * @enum {string}
             */
            egress: 'none' | 'internet';
            /** @enum {string} */
            imagePolicy?: 'signed' | 'warn' | 'any';
            /** @default false */
            protected: boolean;
            pipeline?: string;
            rollout?: {
              steps: {
                /** @default 0 */
                weight: number;
                /** @default 60 */
                seconds: number;
              }[];
              /**
               * @default promote
               * @enum {string}
               */
              onNoTraffic: 'promote' | 'hold' | 'abort';
              allowSchemaChange?: boolean;
            };
          };
        };
      };
      /** @description rises with every change of spec and every rerun */
      generation: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      createdBy: string;
      updatedBy: string;
      /** @description the default route of a deployment */
      default?: boolean;
      deletionMark?: boolean;
    };
    PipelineSchedule: {
      cron: string;
      timeZone: string;
      paused: boolean;
      /** @description why it is paused */
      note: string;
      pausedBy?: string;
      /** Format: date-time */
      pausedAt?: string;
      /** @description the next times, soonest first */
      next: string[];
      /** @description starts left out because a run was going on */
      skipped: number;
      /** @description starts that came too late to be made up for */
      missed: number;
    };
    Error: {
      /** @description one sentence; the only key that every version of a client reads */
      message: string;
      /** @description machine word that never changes meaning */
      code: string;
      requestId: string;
      errors?: {
        /** @description dotted path from the top of the body */
        path: string;
        /** @description the same as a JSON pointer (RFC 6901) */
        pointer: string;
        code: string;
        message: string;
      }[];
    };
    Message: {
      message: string;
    };
    AuditRecord: {
      id: string;
      /** Format: date-time */
      at: string;
      user: {
        sub: string;
        name?: string;
        email?: string;
      };
      action: string;
      kind: string;
      entityId: string;
      generation?: number;
      changes: {
        path: string;
        from?: unknown;
        to?: unknown;
      }[];
      requestId: string;
    };
    Lineage: {
      /** @description keys of what was asked for */
      root: string[];
      nodes: {
        /** @description names the node in this reply */
        key: string;
        /** @enum {string} */
        kind:
          | 'pipeline'
          | 'pipeline-run'
          | 'commit'
          | 'data'
          | 'training'
          | 'artifact'
          | 'packaging'
          | 'image'
          | 'deployment'
          | 'request';
        id: string;
        /** @description what is known of it; the keys depend on the kind */
        facts: {
          [key: string]: unknown;
        };
      }[];
      edges: {
        from: string;
        /** @description key of what came of `from` */
        to: string;
        /** @description made, used by, started, reused or answered */
        relation: string;
      }[];
      /** @description there is more than is shown */
      truncated: boolean;
    };
    InferenceRecord: {
      requestId: string;
      calls: {
        at: string;
        /** @description the record of `request_response`; absent after its time */
        request?: {
          [key: string]: unknown;
        };
        /** @description the record of `response_body` */
        response?: {
          [key: string]: unknown;
        };
        /** @description deployment, revision, replica and latency */
        detail?: {
          [key: string]: unknown;
        };
      }[];
      feedback: {
        [key: string]: unknown;
      }[];
      /** @description the id has more than the 10 newest that are shown */
      truncated: boolean;
    };
    Quota: {
      owner: {
        replicas: {
          used: string;
          limit: string;
        };
        cpu: {
          used: string;
          limit: string;
        };
        memory: {
          used: string;
          limit: string;
        };
        jobs: {
          used: string;
          limit: string;
        };
        storage: {
          used: string;
          limit: string;
        };
        datasets: {
          used: string;
          limit: string;
        };
        subscriptions: {
          used: string;
          limit: string;
        };
        imports: {
          used: string;
          limit: string;
        };
      };
      installation: {
        replicas: {
          used: string;
          limit: string;
        };
        cpu: {
          used: string;
          limit: string;
        };
        memory: {
          used: string;
          limit: string;
        };
        jobs: {
          used: string;
          limit: string;
        };
        storage: {
          used: string;
          limit: string;
        };
        datasets: {
          used: string;
          limit: string;
        };
        subscriptions: {
          used: string;
          limit: string;
        };
        imports: {
          used: string;
          limit: string;
        };
      };
    };
    ConnectionTest: {
      id: string;
      passed: boolean;
      checks: {
        /** @enum {string} */
        step: 'reach' | 'login' | 'read' | 'write';
        passed: boolean;
        reason?: string;
      }[];
    };
    DeploymentRevision: {
      generation: number;
      /**
       * Format: date-time
       * @description since when it had all the traffic
       */
      at: string;
      updatedBy: string;
      image: string;
      imageDigest?: string;
      imageId?: string;
      modelName: string;
      modelVersion: string;
      spec: {
        /** @default  */
        image: string;
        /** @default  */
        predictor: string;
        /** @default  */
        roleName: string;
        roles?: string[];
        /** @default 0 */
        minReplicas: number;
        /** @default 1 */
        maxReplicas: number;
        /** @default false */
        suspended: boolean;
        /** @default 2 */
        livenessProbeInitialDelay: number;
        /** @default 2 */
        readinessProbeInitialDelay: number;
        imagePullConnID?: string;
        /**
         * @default {
         *       "requests": {
         *         "cpu": "125m",
         *         "memory": "256Mi"
         *       },
         *       "limits": {
         *         "cpu": "1",
         *         "memory": "1Gi"
         *       }
         *     }
         */
        resources: {
          limits: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
          requests: {
            cpu?: string;
            memory?: string;
            gpu?: string;
          };
        };
        annotations: {
          [key: string]: string;
        };
        nodeSelector: {
          [key: string]: string;
        };
        /** @default true */
        feedback: boolean;
        records: {
          redact: string[];
          /** @default 0 */
          retentionDays: number;
        };
        /**
         * @default none
         * @enum {string}
         */
        egress: 'none' | 'internet';
        /** @enum {string} */
        imagePolicy?: 'signed' | 'warn' | 'any';
        /** @default false */
        protected: boolean;
        pipeline?: string;
        rollout?: {
          steps: {
            /** @default 0 */
            weight: number;
            /** @default 60 */
            seconds: number;
          }[];
          /**
           * @default promote
           * @enum {string}
           */
          onNoTraffic: 'promote' | 'hold' | 'abort';
          allowSchemaChange?: boolean;
        };
      };
    };
    ImageVerification:
      | {
          image: string;
          /** @description of the manifest that the name leads to now */
          digest: string;
          /** @constant */
          verified: true;
          /** @description `kid` of the key that signed */
          key: string;
          /** @description address of the installation that made the image */
          builder: string;
          packaging: string;
          training?: string;
          model: {
            name: string;
            version: string;
          };
          commit?: string;
          data: {
            name: string;
            sha256: string;
          }[];
          artifact?: string;
          base?: {
            image: string;
            digest: string;
          };
          /** @description Python packages of its bill of materials */
          packages?: number;
        }
      | {
          image: string;
          digest: string;
          /** @constant */
          verified: false;
          /** @description completes "the image is not verified: ..." */
          why: string;
        };
    DeploymentMetrics: {
      id: string;
      state: string;
      /** @description share of the replicas that take requests; without replicas, 1 while the deployment is ready */
      availability: number;
      replicas: number;
      availableReplicas: number;
      /** @description since the present worker supervises the replicas */
      restarts?: number;
      /** @description of all replicas together; absent until it is measured */
      cpuCores?: number;
      memoryBytes?: number;
      /** @description the time that the counts of calls cover */
      windowSeconds: number;
      requests: number;
      /** @description calls that were answered with a 5xx */
      failed: number;
      inflight: number;
      latencySeconds?: {
        p50: number;
        p95: number;
        p99: number;
      };
    };
    UserInfo: {
      username: string;
      email: string;
      sub: string;
      roles: string[];
    };
    DeploymentEvents: {
      events: {
        entityID: string;
        payload: Record<string, never>;
        type: string;
        /** Format: date-time */
        datetime: string;
      }[];
      cursor: number;
    };
    RouteEvents: {
      events: {
        entityID: string;
        payload: Record<string, never>;
        type: string;
        /** Format: date-time */
        datetime: string;
      }[];
      cursor: number;
    };
    /** @description public settings of the installation */
    Configuration: Record<string, never>;
    /**
     * @example {
     *       "kind": "Dataset",
     *       "id": "offices",
     *       "spec": {
     *         "fields": {
     *           "name": {
     *             "type": "text",
     *             "required": true
     *           },
     *           "opened_on": {
     *             "type": "date"
     *           }
     *         },
     *         "lookup": {
     *           "fields": [
     *             "name"
     *           ]
     *         }
     *       }
     *     }
     */
    DatasetRequest: {
      /** @constant */
      kind?: 'Dataset';
      id?: string;
      spec: {
        /** @default null */
        title?: string | null;
        /** @default null */
        attribution?: string | null;
        fields?: {
          [key: string]:
            | {
                /** @constant */
                type?: 'text';
                /** @default 1000 */
                max_length?: number;
                suggested_values?: string[];
                /** @default false */
                required?: boolean;
                /** @default true */
                filterable?: boolean;
                /** @default true */
                sortable?: boolean;
              }
            | {
                /** @constant */
                type?: 'enum';
                values?: string[];
                /** @default false */
                required?: boolean;
                /** @default true */
                filterable?: boolean;
                /** @default true */
                sortable?: boolean;
              }
            | {
                /** @enum {string} */
                type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                /** @default false */
                required?: boolean;
                /** @default true */
                filterable?: boolean;
                /** @default true */
                sortable?: boolean;
              }
            | {
                /** @constant */
                type?: 'ref';
                dataset?: string;
                /**
                 * @default restrict
                 * @enum {string}
                 */
                on_delete?: 'restrict' | 'keep';
                /** @default false */
                required?: boolean;
                /** @default true */
                filterable?: boolean;
                /** @default true */
                sortable?: boolean;
              }
            | {
                /** @constant */
                type?: 'list';
                of?:
                  | {
                      /** @constant */
                      type?: 'text';
                      /** @default 1000 */
                      max_length?: number;
                      suggested_values?: string[];
                    }
                  | {
                      /** @constant */
                      type?: 'enum';
                      values?: string[];
                    }
                  | {
                      /** @enum {string} */
                      type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                    }
                  | {
                      /** @constant */
                      type?: 'ref';
                      dataset?: string;
                      /**
                       * @default restrict
                       * @enum {string}
                       */
                      on_delete?: 'restrict' | 'keep';
                    };
                /** @default false */
                required?: boolean;
                /** @default true */
                filterable?: boolean;
              }
            | {
                /** @constant */
                type?: 'object';
                /** @default false */
                required?: boolean;
                fields?: {
                  [key: string]:
                    | {
                        /** @constant */
                        type?: 'text';
                        /** @default 1000 */
                        max_length?: number;
                        suggested_values?: string[];
                        /** @default false */
                        required?: boolean;
                        /** @default true */
                        filterable?: boolean;
                        /** @default true */
                        sortable?: boolean;
                      }
                    | {
                        /** @constant */
                        type?: 'enum';
                        values?: string[];
                        /** @default false */
                        required?: boolean;
                        /** @default true */
                        filterable?: boolean;
                        /** @default true */
                        sortable?: boolean;
                      }
                    | {
                        /** @enum {string} */
                        type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                        /** @default false */
                        required?: boolean;
                        /** @default true */
                        filterable?: boolean;
                        /** @default true */
                        sortable?: boolean;
                      }
                    | {
                        /** @constant */
                        type?: 'ref';
                        dataset?: string;
                        /**
                         * @default restrict
                         * @enum {string}
                         */
                        on_delete?: 'restrict' | 'keep';
                        /** @default false */
                        required?: boolean;
                        /** @default true */
                        filterable?: boolean;
                        /** @default true */
                        sortable?: boolean;
                      }
                    | {
                        /** @constant */
                        type?: 'list';
                        of?:
                          | {
                              /** @constant */
                              type?: 'text';
                              /** @default 1000 */
                              max_length?: number;
                              suggested_values?: string[];
                            }
                          | {
                              /** @constant */
                              type?: 'enum';
                              values?: string[];
                            }
                          | {
                              /** @enum {string} */
                              type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                            }
                          | {
                              /** @constant */
                              type?: 'ref';
                              dataset?: string;
                              /**
                               * @default restrict
                               * @enum {string}
                               */
                              on_delete?: 'restrict' | 'keep';
                            };
                        /** @default false */
                        required?: boolean;
                        /** @default true */
                        filterable?: boolean;
                      }
                    | {
                        /** @constant */
                        type?: 'object';
                        /** @default false */
                        required?: boolean;
                        fields?: {
                          [key: string]:
                            | {
                                /** @constant */
                                type?: 'text';
                                /** @default 1000 */
                                max_length?: number;
                                suggested_values?: string[];
                                /** @default false */
                                required?: boolean;
                                /** @default true */
                                filterable?: boolean;
                                /** @default true */
                                sortable?: boolean;
                              }
                            | {
                                /** @constant */
                                type?: 'enum';
                                values?: string[];
                                /** @default false */
                                required?: boolean;
                                /** @default true */
                                filterable?: boolean;
                                /** @default true */
                                sortable?: boolean;
                              }
                            | {
                                /** @enum {string} */
                                type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                /** @default false */
                                required?: boolean;
                                /** @default true */
                                filterable?: boolean;
                                /** @default true */
                                sortable?: boolean;
                              }
                            | {
                                /** @constant */
                                type?: 'ref';
                                dataset?: string;
                                /**
                                 * @default restrict
                                 * @enum {string}
                                 */
                                on_delete?: 'restrict' | 'keep';
                                /** @default false */
                                required?: boolean;
                                /** @default true */
                                filterable?: boolean;
                                /** @default true */
                                sortable?: boolean;
                              }
                            | {
                                /** @constant */
                                type?: 'list';
                                of?:
                                  | {
                                      /** @constant */
                                      type?: 'text';
                                      /** @default 1000 */
                                      max_length?: number;
                                      suggested_values?: string[];
                                    }
                                  | {
                                      /** @constant */
                                      type?: 'enum';
                                      values?: string[];
                                    }
                                  | {
                                      /** @enum {string} */
                                      type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                    }
                                  | {
                                      /** @constant */
                                      type?: 'ref';
                                      dataset?: string;
                                      /**
                                       * @default restrict
                                       * @enum {string}
                                       */
                                      on_delete?: 'restrict' | 'keep';
                                    };
                                /** @default false */
                                required?: boolean;
                                /** @default true */
                                filterable?: boolean;
                              }
                            | {
                                /** @constant */
                                type?: 'object';
                                /** @default false */
                                required?: boolean;
                                fields?: {
                                  [key: string]:
                                    | {
                                        /** @constant */
                                        type?: 'text';
                                        /** @default 1000 */
                                        max_length?: number;
                                        suggested_values?: string[];
                                        /** @default false */
                                        required?: boolean;
                                        /** @default true */
                                        filterable?: boolean;
                                        /** @default true */
                                        sortable?: boolean;
                                      }
                                    | {
                                        /** @constant */
                                        type?: 'enum';
                                        values?: string[];
                                        /** @default false */
                                        required?: boolean;
                                        /** @default true */
                                        filterable?: boolean;
                                        /** @default true */
                                        sortable?: boolean;
                                      }
                                    | {
                                        /** @enum {string} */
                                        type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                        /** @default false */
                                        required?: boolean;
                                        /** @default true */
                                        filterable?: boolean;
                                        /** @default true */
                                        sortable?: boolean;
                                      }
                                    | {
                                        /** @constant */
                                        type?: 'ref';
                                        dataset?: string;
                                        /**
                                         * @default restrict
                                         * @enum {string}
                                         */
                                        on_delete?: 'restrict' | 'keep';
                                        /** @default false */
                                        required?: boolean;
                                        /** @default true */
                                        filterable?: boolean;
                                        /** @default true */
                                        sortable?: boolean;
                                      }
                                    | {
                                        /** @constant */
                                        type?: 'list';
                                        of?:
                                          | {
                                              /** @constant */
                                              type?: 'text';
                                              /** @default 1000 */
                                              max_length?: number;
                                              suggested_values?: string[];
                                            }
                                          | {
                                              /** @constant */
                                              type?: 'enum';
                                              values?: string[];
                                            }
                                          | {
                                              /** @enum {string} */
                                              type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                            }
                                          | {
                                              /** @constant */
                                              type?: 'ref';
                                              dataset?: string;
                                              /**
                                               * @default restrict
                                               * @enum {string}
                                               */
                                              on_delete?: 'restrict' | 'keep';
                                            };
                                        /** @default false */
                                        required?: boolean;
                                        /** @default true */
                                        filterable?: boolean;
                                      }
                                    | {
                                        /** @constant */
                                        type?: 'object';
                                        /** @default false */
                                        required?: boolean;
                                        fields?: {
                                          [key: string]:
                                            | {
                                                /** @constant */
                                                type?: 'text';
                                                /** @default 1000 */
                                                max_length?: number;
                                                suggested_values?: string[];
                                                /** @default false */
                                                required?: boolean;
                                                /** @default true */
                                                filterable?: boolean;
                                                /** @default true */
                                                sortable?: boolean;
                                              }
                                            | {
                                                /** @constant */
                                                type?: 'enum';
                                                values?: string[];
                                                /** @default false */
                                                required?: boolean;
                                                /** @default true */
                                                filterable?: boolean;
                                                /** @default true */
                                                sortable?: boolean;
                                              }
                                            | {
                                                /** @enum {string} */
                                                type?: 'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                                /** @default false */
                                                required?: boolean;
                                                /** @default true */
                                                filterable?: boolean;
                                                /** @default true */
                                                sortable?: boolean;
                                              }
                                            | {
                                                /** @constant */
                                                type?: 'ref';
                                                dataset?: string;
                                                /**
                                                 * @default restrict
                                                 * @enum {string}
                                                 */
                                                on_delete?: 'restrict' | 'keep';
                                                /** @default false */
                                                required?: boolean;
                                                /** @default true */
                                                filterable?: boolean;
                                                /** @default true */
                                                sortable?: boolean;
                                              }
                                            | {
                                                /** @constant */
                                                type?: 'list';
                                                of?:
                                                  | {
                                                      /** @constant */
                                                      type?: 'text';
                                                      /** @default 1000 */
                                                      max_length?: number;
                                                      suggested_values?: string[];
                                                    }
                                                  | {
                                                      /** @constant */
                                                      type?: 'enum';
                                                      values?: string[];
                                                    }
                                                  | {
                                                      /** @enum {string} */
                                                      type?:
                                                        'integer' | 'id' | 'decimal' | 'boolean' | 'date' | 'timestamp';
                                                    }
                                                  | {
                                                      /** @constant */
                                                      type?: 'ref';
                                                      dataset?: string;
                                                      /**
                                                       * @default restrict
                                                       * @enum {string}
                                                       */
                                                      on_delete?: 'restrict' | 'keep';
                                                    };
                                                /** @default false */
                                                required?: boolean;
                                                /** @default true */
                                                filterable?: boolean;
                                              }
                                            | ({
                                                /** @constant */
                                                type?: 'object';
                                              } & {
                                                [key: string]: unknown;
                                              });
                                        };
                                      };
                                };
                              };
                        };
                      };
                };
              };
        };
        /** @default null */
        lookup?: {
          fields?: string[];
          /** @default [] */
          aliases?: string[];
          /** @default null */
          weight?: string | null;
          synonyms?: {
            words?: string[];
            means?: string[];
          }[];
        } | null;
        points?: {
          [key: string]: {
            latitude?: string;
            longitude?: string;
          };
        };
        /** @default [] */
        validators?: (
          | {
              /** @constant */
              rule?: 'row_count';
              /** @default 0 */
              min?: number;
              /** @default null */
              max?: number | null;
            }
          | {
              /** @constant */
              rule?: 'max_drop_percent';
              value?: number;
            }
          | {
              /** @constant */
              rule?: 'unique';
              field?: string;
            }
          | {
              /** @constant */
              rule?: 'references';
              /** @default 0 */
              max_missing?: number;
            }
        )[];
        /** @default false */
        allow_blind_put?: boolean;
      };
    } & {
      [key: string]: unknown;
    };
    Problem: {
      /** @description A path of this host that explains the code. */
      type: string;
      title: string;
      status: number;
      code: string;
      detail?: string;
      instance: string;
      errors?: {
        code: string;
        message: string;
        /** @description Place in the body (RFC 6901). */
        pointer?: string;
        parameter?: string;
        position?: {
          offset: number;
          length: number;
          line: number;
          column: number;
        };
        expected?: string[];
        suggestion?: string;
      }[];
    };
    Dataset: {
      /** @constant */
      kind: 'Dataset';
      id: string;
      spec: Record<string, never>;
      status: Record<string, never>;
      generation: number;
      /** Format: date-time */
      updatedAt: string;
      updatedBy: string;
    };
    ApiKey: {
      id: string;
      name: string;
      scopes: string[];
      owner: string;
      /** Format: date-time */
      created_at: string;
      expires_at: string | null;
      last_used_at: string | null;
      /** @description The key is accepted from pages of these origins alone. */
      origins?: string[];
      /** @description Filters by dataset: the key reads and writes only the rows that match. */
      row_filters?: {
        [key: string]: string;
      };
    };
    IssuedKey: {
      id: string;
      name: string;
      scopes: string[];
      owner: string;
      /** Format: date-time */
      created_at: string;
      expires_at: string | null;
      last_used_at: string | null;
      /** @description Shown this once. */
      secret: string;
      /** @description The key is accepted from pages of these origins alone. */
      origins?: string[];
      /** @description Filters by dataset: the key reads and writes only the rows that match. */
      row_filters?: {
        [key: string]: string;
      };
    };
    ApiKeyRequest: {
      name: string;
      scopes: string[];
      /** @description The key is accepted from pages of these origins alone. */
      origins?: string[];
      expires_at?: string | null;
    };
    /**
     * @example [
     *       {
     *         "op": "patch",
     *         "id": "9007199254740993",
     *         "entity": {
     *           "title": "Crane operator"
     *         }
     *       }
     *     ]
     */
    Batch: unknown[];
    BatchResults: {
      items: {
        status: number;
        /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
        id?: string;
        etag?: string;
        problem?: components['schemas']['Problem'];
      }[];
    };
    History: {
      items: {
        version: number;
        /** Format: date-time */
        at: string;
        actor: string;
        /** @enum {string} */
        operation: 'create' | 'update' | 'delete';
        changed: string[];
        previous: Record<string, never> | null;
        entity: Record<string, never> | null;
      }[];
      next_page_token?: string;
    };
    Dangling: {
      items: {
        /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
        id: string;
        references: {
          field: string;
          dataset: string;
          /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
          id: string;
        }[];
      }[];
      total_rows: number;
      total_references: number;
      dataset_version: number;
      /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
      next_after?: string;
    };
    Import: {
      /** @constant */
      kind: 'Import';
      id: string;
      dataset: string;
      spec: Record<string, never>;
      status: Record<string, never>;
      /** Format: date-time */
      created_at: string;
      created_by: string;
      offset?: number;
    };
    Imports: {
      items: components['schemas']['Import'][];
    };
    /**
     * @example {
     *       "query": "{ datasets { name version } }"
     *     }
     */
    GraphRequest: {
      query: string;
      operationName?: string | null;
      variables?: Record<string, never> | null;
      extensions?: Record<string, never> | null;
    };
    GraphReply: {
      data?: Record<string, never>;
      errors?: {
        message: string;
        extensions: {
          code: string;
        };
      }[];
      extensions?: {
        versions: {
          [key: string]: number;
        };
        cost: number;
      };
    };
    SubscriptionRequest: {
      name: string;
      /**
       * @default push
       * @enum {string}
       */
      mode?: 'push' | 'pull';
      /** @default null */
      url?: string | null;
      /** @default null */
      receipt_url?: string | null;
      types: string[];
      /** @default null */
      filter?: string | null;
      /**
       * @default full
       * @enum {string}
       */
      payload?: 'full' | 'changed' | 'ids';
      /** @default {} */
      headers?: {
        [key: string]: string;
      };
      /**
       * @default resend
       * @enum {string}
       */
      on_ambiguous?: 'resend' | 'hold' | 'pull';
      ordering?: {
        /**
         * @default entity
         * @enum {string}
         */
        mode?: 'entity' | 'strict' | 'none';
        /** @default PT1H */
        max_block?: string;
      };
      rate?: {
        /** @default 50 */
        per_second?: number;
        /** @default 8 */
        concurrency?: number;
      };
      /**
       * @default [
       *       0,
       *       5,
       *       300,
       *       1800,
       *       7200,
       *       18000,
       *       36000,
       *       50400,
       *       72000,
       *       86400
       *     ]
       */
      schedule?: number[];
    };
    Subscription: {
      name: string;
      /**
       * @default push
       * @enum {string}
       */
      mode: 'push' | 'pull';
      /** @default null */
      url: string | null;
      /** @default null */
      receipt_url: string | null;
      types: string[];
      /** @default null */
      filter: string | null;
      /**
       * @default full
       * @enum {string}
       */
      payload: 'full' | 'changed' | 'ids';
      /** @description Each value is shown as `*****`; a PATCH may send that back while the origin of `url` is the same. */
      headers: {
        [key: string]: string;
      };
      /**
       * @default resend
       * @enum {string}
       */
      on_ambiguous: 'resend' | 'hold' | 'pull';
      ordering: {
        /**
         * @default entity
         * @enum {string}
         */
        mode: 'entity' | 'strict' | 'none';
        /** @default PT1H */
        max_block: string;
      };
      rate: {
        /** @default 50 */
        per_second: number;
        /** @default 8 */
        concurrency: number;
      };
      /**
       * @default [
       *       0,
       *       5,
       *       300,
       *       1800,
       *       7200,
       *       18000,
       *       36000,
       *       50400,
       *       72000,
       *       86400
       *     ]
       */
      schedule: number[];
      id: string;
      /** @enum {string} */
      state: 'unverified' | 'active' | 'paused' | 'disabled';
      level: {
        /** @enum {string} */
        proven?: 'L0' | 'L1' | 'L2' | 'L3';
        checked_at?: string | null;
        evidence?: {
          sent?: string;
          expected?: string;
          received?: string;
          ok?: boolean;
        }[];
      };
      guarantee: {
        text?: string;
      };
      keys: {
        kid: string;
        /** @enum {string} */
        kind: 'hmac' | 'ed25519';
        /** Format: date-time */
        created_at: string;
        expires_at: string | null;
        last_used_at: string | null;
      }[];
      /** @description Position of each stream after which it began. */
      starts_at: {
        [key: string]: number;
      };
      /** @description Positions after which the current types, filter and payload apply. */
      effective_after: {
        [key: string]: number;
      };
      minted: number;
      /** @description Rises with every change of settings. */
      generation: number;
      counts: {
        [key: string]: number;
      };
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      created_by: string;
      updated_by: string;
      /** @description Who created it: an API key changes and deletes only its own. Or the pipeline that maintains it, such as `pipeline/wine`: it cannot be changed or deleted here. */
      owner: string;
      reason?: string;
      /** @description Set while the breaker of its endpoint, or of the host, is open, with the newest failure. */
      failing?: {
        /** Format: date-time */
        since: string;
        reason: string;
      };
      /** @description Set while nothing is sent because of an unexpected error of the platform; the log of the worker has it. */
      fault?: {
        /** Format: date-time */
        since: string;
        reason: string;
      };
      /** @description Granted by the receiver when it was asked with OPTIONS: no more is sent in a minute. */
      allowed_rate?: {
        per_minute: number;
      };
      /** @description Set while very many deliveries wait; at 1,000,000 fan-out pauses. */
      backlog?: {
        /** Format: date-time */
        since: string;
        pending: number;
      };
      /** @description Types that have the fields of the filter; the others are not filtered. */
      filter_applies_to?: string[];
    };
    CreatedSubscription: {
      name: string;
      /**
       * @default push
       * @enum {string}
       */
      mode: 'push' | 'pull';
      /** @default null */
      url: string | null;
      /** @default null */
      receipt_url: string | null;
      types: string[];
      /** @default null */
      filter: string | null;
      /**
       * @default full
       * @enum {string}
       */
      payload: 'full' | 'changed' | 'ids';
      /** @description Each value is shown as `*****`; a PATCH may send that back while the origin of `url` is the same. */
      headers: {
        [key: string]: string;
      };
      /**
       * @default resend
       * @enum {string}
       */
      on_ambiguous: 'resend' | 'hold' | 'pull';
      ordering: {
        /**
         * @default entity
         * @enum {string}
         */
        mode: 'entity' | 'strict' | 'none';
        /** @default PT1H */
        max_block: string;
      };
      rate: {
        /** @default 50 */
        per_second: number;
        /** @default 8 */
        concurrency: number;
      };
      /**
       * @default [
       *       0,
       *       5,
       *       300,
       *       1800,
       *       7200,
       *       18000,
       *       36000,
       *       50400,
       *       72000,
       *       86400
       *     ]
       */
      schedule: number[];
      id: string;
      /** @enum {string} */
      state: 'unverified' | 'active' | 'paused' | 'disabled';
      level: {
        /** @enum {string} */
        proven?: 'L0' | 'L1' | 'L2' | 'L3';
        checked_at?: string | null;
        evidence?: {
          sent?: string;
          expected?: string;
          received?: string;
          ok?: boolean;
        }[];
      };
      guarantee: {
        text?: string;
      };
      keys: {
        kid: string;
        /** @enum {string} */
        kind: 'hmac' | 'ed25519';
        /** Format: date-time */
        created_at: string;
        expires_at: string | null;
        last_used_at: string | null;
      }[];
      /** @description Position of each stream after which it began. */
      starts_at: {
        [key: string]: number;
      };
      /** @description Positions after which the current types, filter and payload apply. */
      effective_after: {
        [key: string]: number;
      };
      minted: number;
      /** @description Rises with every change of settings. */
      generation: number;
      counts: {
        [key: string]: number;
      };
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      created_by: string;
      updated_by: string;
      /** @description Who created it: an API key changes and deletes only its own. Or the pipeline that maintains it, such as `pipeline/wine`: it cannot be changed or deleted here. */
      owner: string;
      reason?: string;
      /** @description Set while the breaker of its endpoint, or of the host, is open, with the newest failure. */
      failing?: {
        /** Format: date-time */
        since: string;
        reason: string;
      };
      /** @description Set while nothing is sent because of an unexpected error of the platform; the log of the worker has it. */
      fault?: {
        /** Format: date-time */
        since: string;
        reason: string;
      };
      /** @description Granted by the receiver when it was asked with OPTIONS: no more is sent in a minute. */
      allowed_rate?: {
        per_minute: number;
      };
      /** @description Set while very many deliveries wait; at 1,000,000 fan-out pauses. */
      backlog?: {
        /** Format: date-time */
        since: string;
        pending: number;
      };
      /** @description Types that have the fields of the filter; the others are not filtered. */
      filter_applies_to?: string[];
      /** @description Shown this once. */
      secret: string;
    };
    TestResult: {
      type: string;
      notice_id: string;
      request: {
        url: string;
        headers: {
          [key: string]: string;
        };
        body: string;
      };
      /** @enum {string} */
      outcome: 'confirmed' | 'not_sent' | 'refused' | 'ambiguous';
      status?: number;
      latency_ms?: number;
      /** @description Its first 16,384 characters. */
      answer?: string;
      error?: string;
    };
    /**
     * @example {
     *       "dataset": "positions",
     *       "entity_id": "9007199254740993"
     *     }
     */
    ExplainRequest:
      | {
          dataset: string;
          entity_id: string;
          /** @description Of the entity; the newest unless given. */
          version?: number;
        }
      | {
          /** @description Name of a dataset, or pipeline, watch or ops. */
          stream: string;
          position: number;
        };
    Explanation: {
      event_id: string;
      type: string;
      subject: string;
      /** Format: date-time */
      time: string;
      /** @description Every reason holds. */
      matches: boolean;
      reasons: {
        holds: boolean;
        reason: string;
        /** @description The filter, condition by condition, with the values that it met. */
        verdict?: Record<string, never>;
      }[];
    };
    Delivery: {
      sequence: string;
      notice_id: string;
      event_id: string;
      type: string;
      about: string;
      /** Format: date-time */
      minted_at: string;
      /** @enum {string} */
      state: 'pending' | 'sending' | 'checking' | 'held' | 'delivered' | 'failed' | 'cancelled';
      by?: string;
      /** @description An unexpected error of the platform kept the event from being filtered or written: the delivery failed, and its event has a link (`dataref`). */
      fault?: string;
      /** @enum {string} */
      next?: 'attempt' | 'judge' | 'tombstone' | 'receipt';
      /** Format: date-time */
      due_at?: string;
      attempts: {
        number: number;
        /** Format: date-time */
        started_at: string;
        /** Format: date-time */
        deadline: string;
        /** Format: date-time */
        ended_at?: string;
        /** @enum {string} */
        outcome?: 'confirmed' | 'not_sent' | 'refused' | 'ambiguous';
        status?: number;
        latency_ms?: number;
        error?: string;
      }[];
      /** @description Its lane continues without it. */
      parked?: boolean;
      timeline?: {
        /** Format: date-time */
        at: string;
        what: string;
        attempt?: number;
      }[];
      event?: Record<string, never>;
    };
    WatchRequest: {
      name: string;
      scope:
        | {
            dataset?: string;
            /** @default null */
            filter?: string | null;
            /** @default null */
            entity?: string | null;
          }
        | {
            /** @constant */
            stream?: 'pipeline';
            types?: string[];
            /** @default null */
            filter?: string | null;
            /** @default null */
            by?: string | null;
          };
      /**
       * @default entity
       * @enum {string}
       */
      each?: 'entity' | 'set';
      counts?: {
        /** @default null */
        fields?: string[] | null;
        /** @default null */
        dwell?: string | null;
      };
      period:
        | string
        | {
            cron?: string;
            zone?: string;
          };
      /** @default PT0S */
      grace?: string;
      /** @default false */
      late_notice?: boolean;
      /**
       * @default last_change
       * @enum {string}
       */
      arm_at?: 'last_change' | 'creation' | 'first_change';
      rearm?: {
        /**
         * @default next_change
         * @enum {string}
         */
        mode?: 'next_change' | 'never' | 'every';
        /** @default null */
        every?: string | null;
        /** @default 10 */
        max?: number;
      };
      /** @default false */
      recovery_notice?: boolean;
      /** @default false */
      closed_notice?: boolean;
      /**
       * @default judge
       * @enum {string}
       */
      on_resume?: 'judge' | 'skip';
    };
    Watch: {
      name: string;
      scope:
        | {
            dataset: string;
            /** @default null */
            filter: string | null;
            /** @default null */
            entity: string | null;
          }
        | {
            /** @constant */
            stream: 'pipeline';
            types: string[];
            /** @default null */
            filter: string | null;
            /** @default null */
            by: string | null;
          };
      /**
       * @default entity
       * @enum {string}
       */
      each: 'entity' | 'set';
      counts: {
        /** @default null */
        fields: string[] | null;
        /** @default null */
        dwell: string | null;
      };
      period:
        | string
        | {
            cron: string;
            zone: string;
          };
      /** @default PT0S */
      grace: string;
      /** @default false */
      late_notice: boolean;
      /**
       * @default last_change
       * @enum {string}
       */
      arm_at: 'last_change' | 'creation' | 'first_change';
      rearm: {
        /**
         * @default next_change
         * @enum {string}
         */
        mode: 'next_change' | 'never' | 'every';
        /** @default null */
        every: string | null;
        /** @default 10 */
        max: number;
      };
      /** @default false */
      recovery_notice: boolean;
      /** @default false */
      closed_notice: boolean;
      /**
       * @default judge
       * @enum {string}
       */
      on_resume: 'judge' | 'skip';
      id: string;
      /** @enum {string} */
      state: 'active' | 'paused';
      evaluation: {
        /** @enum {string} */
        state?: 'arming' | 'watching' | 'unknown';
        position?: number;
        log_at?: string | null;
        armed?: number;
        next_due_at?: string | null;
        note?: string;
        /** Format: date-time */
        updated_at?: string;
      } | null;
      history: {
        generation?: number;
        /** Format: date-time */
        at?: string;
        actor?: string;
        changed?: string[];
      }[];
      generation: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      created_by: string;
      updated_by: string;
    };
    WatchGap: {
      position: number;
      /** @enum {string} */
      type: 'watch.late' | 'watch.absent' | 'watch.resumed' | 'watch.closed';
      watch: string;
      /** @description Of the gap: watch, entity, and the version that began it. */
      gap_id: string;
      gap_version: number;
      /** Format: date-time */
      last_changed_at: string;
      /** Format: date-time */
      deadline: string;
      repeat: number;
      /** Format: date-time */
      due_at: string;
      /** Format: date-time */
      detected_at: string;
      dataset?: string;
      stream?: string;
      entity_id?: string;
      entity_version?: number;
      etag?: string;
      gap_seconds?: number;
      missed_periods?: number;
    };
    WatchExplanation: {
      watch: string;
      entity_id: string;
      log_at: string | null;
      /** @enum {string} */
      state: 'out' | 'waiting' | 'armed' | 'late' | 'absent' | 'over' | 'paused' | 'skipped' | 'unknown';
      why: string;
      /** @description Of the gap: watch, entity, and the version that began it. */
      gap_id?: string;
      gap_version?: number;
      /** Format: date-time */
      last_changed_at?: string;
      /** Format: date-time */
      deadline?: string;
      entity_version?: number;
      /** Format: date-time */
      absent_at?: string;
      told?: string[];
      row?: {
        id: string;
        in_scope: boolean;
        why?: string;
      };
    };
    RecoveryRequest: {
      /** @default null */
      from?: string | null;
      /** @default null */
      until?: string | null;
      /** @default null */
      sequences?: string[] | null;
      /** @default [] */
      types?: string[];
      /** @default null */
      filter?: string | null;
      /** @default false */
      dry_run?: boolean;
      /** @default 50 */
      per_second?: number;
    };
    Recovery: {
      /** @default null */
      from: string | null;
      /** @default null */
      until: string | null;
      /** @default null */
      sequences: string[] | null;
      /** @default [] */
      types: string[];
      /** @default null */
      filter: string | null;
      /** @default false */
      dry_run: boolean;
      /** @default 50 */
      per_second: number;
      id: string;
      /** @enum {string} */
      kind: 'replay' | 'recover';
      first: string;
      last: string;
      /** @enum {string} */
      state: 'queued' | 'running' | 'done';
      examined: number;
      matched: number;
      reopened: number;
      /** Format: date-time */
      created_at: string;
      created_by: string;
      /** Format: date-time */
      ended_at?: string;
    };
    FeedPage: {
      items: {
        sequence: string;
        notice_id: string;
        cursor: string;
        event: Record<string, never>;
      }[];
      head_sequence: string;
      retained_from: string;
      next_cursor?: string;
      settled_through?: string;
      /** @description Until when these are not handed out again. */
      until?: string | null;
    };
    FeedConsumer: {
      name: string;
      settles: boolean;
      acknowledged_through: string;
      handed_out_through: string;
      pending: {
        from: string;
        to: string;
        until: string | null;
      }[];
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
    };
    EventType: {
      type: string;
      version: number;
      description: string;
      /** @description Address of this version of the type. */
      dataschema: string;
      /** @description JSON Schema of the member data of an event. */
      schema: Record<string, never>;
      /** @description A whole event. */
      example: Record<string, never>;
    };
    row: {
      /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
      id: string;
      version: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
    };
    rowRequest: Record<string, never>;
    rowPage: {
      items: components['schemas']['row'][];
      dataset_version: number;
      next_page_token?: string;
      total_size?: number;
      filter?: string;
      explain?: Record<string, never>;
      facets?: {
        [key: string]: {
          values: {
            value: string | number | boolean;
            count: number;
          }[];
          others: number;
          missing: number;
        };
      };
      aggregates?: {
        [key: string]: {
          count: number;
          /** @description A string of digits for an integer beyond 2^53. */
          min: number | string | null;
          /** @description A string of digits for an integer beyond 2^53. */
          max: number | string | null;
          /** @description A string of digits for an integer beyond 2^53. */
          sum: number | string | null;
          average: number | null;
        };
      };
      missing?: string[];
      deleted?: {
        /** @description An integer from 1 to 9223372036854775807, as a string of digits. */
        id: string;
        /** Format: date-time */
        deleted_at: string;
      }[];
    };
    rowHits: {
      query: {
        text: string;
        words: string[];
      };
      dataset_version: number;
      items: components['schemas']['rowHit'][];
    };
    rowHit: components['schemas']['row'] & {
      match: {
        bucket: string;
        typos: number;
        field: string;
        ranges: unknown[];
        index?: number;
      };
    };
    /** @description Members to change; null removes one. */
    rowPatch: Record<string, never>;
  };
  responses: never;
  parameters: {
    id: string;
    /** @description resources per page */
    size: number;
    /** @description page, from 0 */
    page: number;
    /** @description go on behind this record, as the `Link` of a page says */
    after: string;
    /** @description your name for this request; the reply, the log and the audit show it */
    requestId: string;
    /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
    idempotencyKey: string;
    /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
    ifMatch: string;
    /** @description id of a protected deployment that an admin means to change */
    overrideProtection: string;
    /** @description ETag that you have; 304 when nothing changed */
    ifNoneMatch: string;
    /** @description stay until the log ends */
    follow: boolean;
    /** @description only so many of the lines that exist */
    tail: number;
    /** @description with `follow`: a line after 8 s of silence */
    heartbeat: boolean;
    /** @description one replica only */
    replica: string;
    /** @description the replicas of this generation only; a follow ends when a new one comes */
    generation: number;
    /** @description crashed and replaced replicas, not the present ones */
    previous: boolean;
  };
  requestBodies: never;
  headers: {
    /** @description names the request */
    'X-Request-Id': string;
    /** @description matches before paging */
    'X-Total-Count': number;
    /** @description the next page, with `rel="next"` */
    Link: string;
    /** @description `"<generation>-<revision>"` */
    ETag: string;
    /** @description `true` when this is the first reply again */
    'Idempotency-Replayed': string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listConnections: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        type?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connection'][];
        };
      };
    };
  };
  replaceConnection: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConnectionRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connection'];
        };
      };
    };
  };
  createConnection: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConnectionRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connection'];
        };
      };
    };
  };
  getConnection: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the connection */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connection'];
        };
      };
    };
  };
  deleteConnection: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listToolchainIntegrations: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolchainIntegration'][];
        };
      };
    };
  };
  replaceToolchainIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolchainIntegrationRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolchainIntegration'];
        };
      };
    };
  };
  createToolchainIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolchainIntegrationRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolchainIntegration'];
        };
      };
    };
  };
  getToolchainIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the toolchain integration */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolchainIntegration'];
        };
      };
    };
  };
  deleteToolchainIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listPackagingIntegrations: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackagingIntegration'][];
        };
      };
    };
  };
  replacePackagingIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PackagingIntegrationRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackagingIntegration'];
        };
      };
    };
  };
  createPackagingIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PackagingIntegrationRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackagingIntegration'];
        };
      };
    };
  };
  getPackagingIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the packaging integration */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackagingIntegration'];
        };
      };
    };
  };
  deletePackagingIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listModelTrainings: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        toolchain?: string[];
        /** @description filter; may be repeated */
        model_name?: string[];
        /** @description filter; may be repeated */
        model_version?: string[];
        /** @description filter; may be repeated */
        state?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'][];
        };
      };
    };
  };
  replaceModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelTrainingRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'];
        };
      };
    };
  };
  createModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelTrainingRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'];
        };
      };
    };
  };
  getModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the training */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'];
        };
      };
    };
  };
  deleteModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listModelPackagings: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        type?: string[];
        /** @description filter; may be repeated */
        integrationName?: string[];
        /** @description filter; may be repeated */
        artifactName?: string[];
        /** @description filter; may be repeated */
        state?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'][];
        };
      };
    };
  };
  replaceModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelPackagingRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'];
        };
      };
    };
  };
  createModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelPackagingRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'];
        };
      };
    };
  };
  getModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the packaging */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'];
        };
      };
    };
  };
  deleteModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listModelDeployments: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        roleName?: string[];
        /** @description filter; may be repeated */
        state?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'][];
        };
      };
    };
  };
  replaceModelDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelDeploymentRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  createModelDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelDeploymentRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  getModelDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the deployment */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  deleteModelDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listModelRoutes: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelRoute'][];
        };
      };
    };
  };
  replaceModelRoute: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelRouteRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelRoute'];
        };
      };
    };
  };
  createModelRoute: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelRouteRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelRoute'];
        };
      };
    };
  };
  getModelRoute: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the route */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelRoute'];
        };
      };
    };
  };
  deleteModelRoute: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listModelPipelines: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        model_name?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPipeline'][];
        };
      };
    };
  };
  replaceModelPipeline: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelPipelineRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPipeline'];
        };
      };
    };
  };
  createModelPipeline: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModelPipelineRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPipeline'];
        };
      };
    };
  };
  getModelPipeline: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the pipeline */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPipeline'];
        };
      };
    };
  };
  deleteModelPipeline: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listInferenceServices: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceService'][];
        };
      };
    };
  };
  replaceInferenceService: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InferenceServiceRequest'];
      };
    };
    responses: {
      /** @description the new state */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceService'];
        };
      };
    };
  };
  createInferenceService: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InferenceServiceRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceService'];
        };
      };
    };
  };
  getInferenceService: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the inference service */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceService'];
        };
      };
    };
  };
  deleteInferenceService: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  listInferenceJobs: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
        /** @description filter; may be repeated */
        inferenceServiceId?: string[];
        /** @description filter; may be repeated */
        state?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceJob'][];
        };
      };
    };
  };
  createInferenceJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InferenceJobRequest'];
      };
    };
    responses: {
      /** @description stored, with defaults filled in */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceJob'];
        };
      };
    };
  };
  getInferenceJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the inference job */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceJob'];
        };
      };
    };
  };
  deleteInferenceJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description deleted */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
        };
      };
    };
  };
  getModelTrainingLog: {
    parameters: {
      query?: {
        /** @description stay until the log ends */
        follow?: components['parameters']['follow'];
        /** @description only so many of the lines that exist */
        tail?: components['parameters']['tail'];
        /** @description with `follow`: a line after 8 s of silence */
        heartbeat?: components['parameters']['heartbeat'];
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description lines as they come */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  cancelModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'];
        };
      };
    };
  };
  rerunModelTraining: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelTraining'];
        };
      };
    };
  };
  getModelPackagingLog: {
    parameters: {
      query?: {
        /** @description stay until the log ends */
        follow?: components['parameters']['follow'];
        /** @description only so many of the lines that exist */
        tail?: components['parameters']['tail'];
        /** @description with `follow`: a line after 8 s of silence */
        heartbeat?: components['parameters']['heartbeat'];
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description lines as they come */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  cancelModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'];
        };
      };
    };
  };
  rerunModelPackaging: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelPackaging'];
        };
      };
    };
  };
  getInferenceJobLog: {
    parameters: {
      query?: {
        /** @description stay until the log ends */
        follow?: components['parameters']['follow'];
        /** @description only so many of the lines that exist */
        tail?: components['parameters']['tail'];
        /** @description with `follow`: a line after 8 s of silence */
        heartbeat?: components['parameters']['heartbeat'];
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description lines as they come */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  cancelInferenceJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceJob'];
        };
      };
    };
  };
  rerunInferenceJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceJob'];
        };
      };
    };
  };
  testConnection: {
    parameters: {
      query?: {
        /** @description whether to write too: an object that is removed again, or a small blob that no image refers to */
        write?: boolean;
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description each step with its result */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConnectionTest'];
        };
      };
    };
  };
  getDecryptedConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description secrets as plain Base64 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connection'];
        };
      };
    };
  };
  getModelDeploymentLog: {
    parameters: {
      query?: {
        /** @description stay until the log ends */
        follow?: components['parameters']['follow'];
        /** @description only so many of the lines that exist */
        tail?: components['parameters']['tail'];
        /** @description with `follow`: a line after 8 s of silence */
        heartbeat?: components['parameters']['heartbeat'];
        /** @description one replica only */
        replica?: components['parameters']['replica'];
        /** @description the replicas of this generation only; a follow ends when a new one comes */
        generation?: components['parameters']['generation'];
        /** @description crashed and replaced replicas, not the present ones */
        previous?: components['parameters']['previous'];
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description lines as they come */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  getModelDeploymentMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description as of the last 10 to 20 s */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeploymentMetrics'];
        };
      };
    };
  };
  listModelDeploymentMetrics: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ordered by id */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeploymentMetrics'][];
        };
      };
    };
  };
  getDefaultRoute: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the default route */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelRoute'];
        };
      };
    };
  };
  listDeploymentRevisions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the newest one first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeploymentRevision'][];
        };
      };
    };
  };
  rollBackDeployment: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description of a kept revision; absent: the one before */
          generation?: number;
        };
      };
    };
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  pauseRollout: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  resumeRollout: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  promoteRollout: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  abortRollout: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description id of a protected deployment that an admin means to change */
        'Override-Protection'?: components['parameters']['overrideProtection'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelDeployment'];
        };
      };
    };
  };
  listPipelineRuns: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description page, from 0 */
        page?: components['parameters']['page'];
      };
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'][];
        };
      };
    };
  };
  createPipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          parameters?: {
            [key: string]: string;
          };
          version?: string;
          noCache?: boolean;
        };
      };
    };
    responses: {
      /** @description the run */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  getPipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you have; 304 when nothing changed */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the run */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  cancelPipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  retryPipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          spec?: {
            parameters?: {
              [key: string]: string;
            };
            /** @default {{ run }} */
            version?: string;
            training: {
              model?: {
                name?: string;
                version?: string;
                /** @default {{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip */
                artifactNameTemplate?: string;
              };
              toolchain?: string;
              /** @default main */
              entrypoint?: string;
              /** @default ./ */
              workDir?: string;
              algorithmSource?: {
                vcs?: {
                  connection?: string;
                  reference?: string;
                };
                objectStorage?: {
                  connection?: string;
                  path?: string;
                };
              };
              data?: {
                connection?: string;
                localPath?: string;
                remotePath?: string;
                feedback?: {
                  model?: string;
                  version?: string;
                  last?: string;
                  from?: string;
                  to?: string;
                  /** @default P30D */
                  within?: string;
                  /** @default ndjson */
                  format?: string;
                  /** @default false */
                  allowEmpty?: boolean;
                };
              }[];
              hyperParameters?: {
                [key: string]: string;
              };
              envs?: {
                name?: string;
                value?: string;
                valueFrom?: {
                  connection?: string;
                  field?: string;
                };
              }[];
              args?: string[];
              image?: string;
              /**
               * @default {
               *       "requests": {
               *         "cpu": "250m",
               *         "memory": "512Mi"
               *       },
               *       "limits": {
               *         "cpu": "2",
               *         "memory": "2Gi"
               *       }
               *     }
               */
              resources?: {
                limits?: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
                requests?: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
              };
              outputConnection?: string;
              nodeSelector?: {
                [key: string]: string;
              };
            };
            packaging?: {
              artifactName?: string;
              integrationName?: string;
              arguments?: {
                [key: string]: unknown;
              };
              targets?: {
                name?: string;
                connectionName?: string;
              }[];
              image?: string;
              /**
               * @default {
               *       "requests": {
               *         "cpu": "1",
               *         "memory": "1Gi"
               *       },
               *       "limits": {
               *         "cpu": "2",
               *         "memory": "2Gi"
               *       }
               *     }
               */
              resources?: {
                limits?: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
                requests?: {
                  cpu?: string;
                  memory?: string;
                  gpu?: string;
                };
              };
              outputConnection?: string;
              nodeSelector?: {
                [key: string]: string;
              };
            };
            deployment?: {
              id?: string;
              spec?: {
                image?: string;
                predictor?: string;
                roleName?: string;
                roles?: string[];
                /** @default 0 */
                minReplicas?: number;
                /** @default 1 */
                maxReplicas?: number;
                /** @default false */
                suspended?: boolean;
                /** @default 2 */
                livenessProbeInitialDelay?: number;
                /** @default 2 */
                readinessProbeInitialDelay?: number;
                imagePullConnID?: string;
                /**
                 * @default {
                 *       "requests": {
                 *         "cpu": "125m",
                 *         "memory": "256Mi"
                 *       },
                 *       "limits": {
                 *         "cpu": "1",
                 *         "memory": "1Gi"
                 *       }
                 *     }
                 */
                resources?: {
                  limits?: {
                    cpu?: string;
                    memory?: string;
                    gpu?: string;
                  };
                  requests?: {
                    cpu?: string;
                    memory?: string;
                    gpu?: string;
                  };
                };
                annotations?: {
                  [key: string]: string;
                };
                nodeSelector?: {
                  [key: string]: string;
                };
                /** @default true */
                feedback?: boolean;
                records?: {
                  redact?: string[];
                  /** @default 0 */
                  retentionDays?: number;
                };
                /**
                 * @default none
                 * @enum {string}
                 */
                egress?: 'none' | 'internet';
                /** @enum {string} */
                imagePolicy?: 'signed' | 'warn' | 'any';
                /** @default false */
                protected?: boolean;
                pipeline?: string;
                rollout?: {
                  steps?: {
                    /** @default 0 */
                    weight?: number;
                    /** @default 60 */
                    seconds?: number;
                  }[];
                  /**
                   * @default promote
                   * @enum {string}
                   */
                  onNoTraffic?: 'promote' | 'hold' | 'abort';
                  allowSchemaChange?: boolean;
                };
              };
            };
            gates?: {
              metrics?: {
                metric?: string;
                min?: number;
                max?: number;
              }[];
              serving?: {
                metric?: string;
                /** @default minimize */
                goal?: string;
                /** @default 0 */
                margin?: number;
              }[];
              heldOut?: {
                connection?: string;
                path?: string;
                metric?: string;
                min?: number;
                max?: number;
              };
              approval?: {
                /** @default false */
                required?: boolean;
                roles?: string[];
                allowAuthor?: boolean;
                /** @default 604800 */
                timeoutSeconds?: number;
              };
            };
            triggers?: {
              schedule?: {
                cron?: string;
                /** @default UTC */
                timeZone?: string;
                /** @default 0 */
                jitterSeconds?: number;
                /** @default 60 */
                catchupSeconds?: number;
              };
              feedback?: {
                /** @default 0 */
                records?: number;
              };
              drift?: {
                measure?: string;
                /** @default 0 */
                limit?: number;
                /** @default /prediction/0 */
                prediction?: string;
                truth?: string;
                /** @default 100 */
                samples?: number;
                /** @default 86400 */
                windowSeconds?: number;
              };
              /** @default false */
              data?: boolean;
              webhook?: {
                /** @default false */
                enabled?: boolean;
                /** @default 1 */
                secretVersion?: number;
                events?: string[];
                branches?: string[];
              };
            };
            /** @default restore */
            onFailure?: string;
            notify?: {
              url?: string;
              on?: string[];
            }[];
            /** @default false */
            noCache?: boolean;
          };
        };
      };
    };
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  approvePipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description why */
          reason: string;
        };
      };
    };
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  rejectPipelineRun: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag that you edited; only its generation counts, a mere status change breaks no edit */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
        /** @description number of the run */
        number: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description why */
          reason: string;
        };
      };
    };
    responses: {
      /** @description accepted */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineRun'];
        };
      };
    };
  };
  getPipelineSchedule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the schedule */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineSchedule'];
        };
      };
    };
  };
  getPipelineWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description paste both where the message comes from */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description whether messages start runs */
            enabled: boolean;
            /** @description address */
            url: string;
            /** @description signs what you send: `whsec_` and Base64 */
            secret: string;
            /** @description signs the events that the addresses of `notify` receive */
            noticeSecret: string;
          };
        };
      };
    };
  };
  callPipelineWebhook: {
    parameters: {
      query?: never;
      header?: {
        'webhook-id'?: string;
        'webhook-timestamp'?: string;
        'webhook-signature'?: string;
        'x-hub-signature-256'?: string;
        'x-github-delivery'?: string;
        'x-github-event'?: string;
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          parameters?: {
            [key: string]: string;
          };
          version?: string;
          noCache?: boolean;
        };
      };
    };
    responses: {
      /** @description a message of GitHub that starts no run */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description why */
            ignored: string;
          };
        };
      };
      /** @description the run */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description id of the run */
            id: string;
            number: number;
          };
        };
      };
    };
  };
  pausePipelineSchedule: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description why */
          note?: string;
        };
      };
    };
    responses: {
      /** @description the schedule */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineSchedule'];
        };
      };
    };
  };
  resumePipelineSchedule: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the schedule */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineSchedule'];
        };
      };
    };
  };
  triggerPipelineSchedule: {
    parameters: {
      query?: never;
      header?: {
        /** @description your name for this request; the reply, the log and the audit show it */
        'X-Request-Id'?: components['parameters']['requestId'];
        /** @description any 1 to 255 characters; a repeat within 24 h gets the first reply again */
        'Idempotency-Key'?: components['parameters']['idempotencyKey'];
      };
      path: {
        id: components['parameters']['id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the schedule */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PipelineSchedule'];
        };
      };
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description it is; an empty object when there is nothing to report */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            down?: {
              /** @enum {string} */
              name: 'database' | 'temporal' | 'object storage' | 'registry' | 'engine' | 'issuer';
              /** @example refuses connections */
              reason: string;
            }[];
            degraded?: {
              /** @enum {string} */
              name: 'list indexes' | 'clock' | 'search attributes' | 'egress of containers';
              /** @example 2 of 25 are missing */
              reason: string;
              /** @description the next step of an operator */
              remedy: string;
            }[];
          };
        };
      };
    };
  };
  getUserInfo: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description you */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UserInfo'];
        };
      };
    };
  };
  getQuota: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description cpu, memory and storage are quantities, the others numbers */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Quota'];
        };
      };
    };
  };
  getConfiguration: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description durations are nanoseconds */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Configuration'];
        };
      };
    };
  };
  getRecord: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description request id of a call */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the records as they were written */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InferenceRecord'];
        };
      };
    };
  };
  getLineage: {
    parameters: {
      query?: {
        /** @description only one side of the graph */
        direction?: 'upstream' | 'downstream' | 'both';
        /** @description of a resource; the newest when it is left out */
        generation?: number;
      };
      header?: never;
      path: {
        kind:
          | 'pipeline'
          | 'pipeline-run'
          | 'commit'
          | 'data'
          | 'training'
          | 'artifact'
          | 'packaging'
          | 'image'
          | 'deployment'
          | 'request';
        /** @description id of a resource or a request, a commit, a digest, or the name of an artifact or an image */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description nodes and edges */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Lineage'];
        };
      };
    };
  };
  listAuditRecords: {
    parameters: {
      query?: {
        /** @description resources per page */
        size?: components['parameters']['size'];
        /** @description go on behind this record, as the `Link` of a page says */
        after?: components['parameters']['after'];
        /** @description filter */
        kind?: string;
        /** @description filter */
        entityId?: string;
        /** @description filter */
        user?: string;
        /** @description filter */
        action?: string;
        /** @description filter */
        from?: string;
        /** @description filter */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description audit records */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditRecord'][];
        };
      };
    };
  };
  listDeploymentEvents: {
    parameters: {
      query?: {
        /** @description the `cursor` of the last answer; 0 at first */
        cursor?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description at most 500 events after the cursor, in order */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeploymentEvents'];
        };
      };
    };
  };
  listRouteEvents: {
    parameters: {
      query?: {
        /** @description the `cursor` of the last answer; 0 at first */
        cursor?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description at most 500 events after the cursor, in order */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RouteEvents'];
        };
      };
    };
  };
  verifyImage: {
    parameters: {
      query: {
        /** @description name with tag or digest, in a registry that a connection names */
        image: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description its origin, or why nothing is known of it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImageVerification'];
        };
      };
    };
  };
  getAttestationKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/jwk-set+json': string;
        };
      };
    };
  };
  getAttestationKeysPem: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description the keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/x-pem-file': string;
        };
      };
    };
  };
  list_datasets: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Dataset'][];
          };
        };
      };
    };
  };
  read_dataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The dataset. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dataset'];
        };
      };
    };
  };
  put_dataset: {
    parameters: {
      query?: {
        /** @description Takes fields back, if every row allows it. */
        force?: boolean;
      };
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DatasetRequest'];
      };
    };
    responses: {
      /** @description The dataset. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dataset'];
        };
      };
      /** @description It was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dataset'];
        };
      };
    };
  };
  delete_dataset: {
    parameters: {
      query: {
        /** @description The name once more. */
        confirm: string;
      };
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  pin_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          version: number;
          reason: string;
        };
      };
    };
    responses: {
      /** @description The dataset. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dataset'];
        };
      };
    };
  };
  unpin_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The dataset. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dataset'];
        };
      };
    };
  };
  list_versions: {
    parameters: {
      query?: {
        /** @description Only versions before this one. */
        before?: number;
        /** @description Versions at most. */
        limit?: number;
      };
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Versions. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: Record<string, never>[];
            next_before?: number;
          };
        };
      };
    };
  };
  list_changes: {
    parameters: {
      query: {
        /** @description Position that was read last, or 0. */
        after: number;
      };
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Changes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: Record<string, never>[];
            next_after: number;
          };
        };
      };
    };
  };
  stream_changes: {
    parameters: {
      query?: {
        /** @description Position that was read last, or 0; needed without Last-Event-ID. */
        after?: number;
      };
      header?: {
        /** @description Id of the last event that was received: the stream goes on after it. */
        'Last-Event-ID'?: string;
      };
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Events `change`, until one side ends the connection. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  diff_versions: {
    parameters: {
      query: {
        /** @description The older version. */
        from: number;
        /** @description The newer version. */
        to: number;
        /** @description Only entities behind this id. */
        after?: string;
      };
      header?: never;
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Differences, by id. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            from: number;
            to: number;
            counts: Record<string, never>;
            items: Record<string, never>[];
            next_after?: string;
          };
        };
      };
    };
  };
  list_dangling: {
    parameters: {
      query?: {
        /** @description Only rows behind this id. */
        after?: string;
        /** @description Rows at most. */
        limit?: number;
      };
      header?: {
        /** @description Waits for this dataset version: read your own write. */
        'slipway-min-version'?: number;
      };
      path: {
        /** @description Of the dataset. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Rows, and how many there are in all. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Dangling'];
        };
      };
    };
  };
  list_keys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ApiKey'][];
          };
        };
      };
    };
  };
  issue_key: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ApiKeyRequest'];
      };
    };
    responses: {
      /** @description The key with its secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
    };
  };
  read_key: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
    };
  };
  revoke_key: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is revoked. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  rotate_key: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @default 3600 */
          overlap_seconds?: number;
        };
      };
    };
    responses: {
      /** @description The key with its new secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
    };
  };
  graph_by_get: {
    parameters: {
      query?: {
        /** @description The document. */
        query?: string;
        /** @description Of several operations the one. */
        operationName?: string;
        /** @description JSON. */
        variables?: string;
        /** @description JSON; `persistedQuery` names a document by its digest. */
        extensions?: string;
      };
      header?: {
        /** @description Waits for this version of the dataset that is asked for; of several as `positions=903,skills=12`. */
        'slipway-min-version'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Data, or what is wrong with the document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GraphReply'];
          'application/graphql-response+json': components['schemas']['GraphReply'];
        };
      };
    };
  };
  graph: {
    parameters: {
      query?: never;
      header?: {
        /** @description Waits for this version of the dataset that is asked for; of several as `positions=903,skills=12`. */
        'slipway-min-version'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GraphRequest'];
      };
    };
    responses: {
      /** @description Data, or what is wrong with the document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GraphReply'];
          'application/graphql-response+json': components['schemas']['GraphReply'];
        };
      };
    };
  };
  read_health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description State by dataset. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            state: string;
            datasets: Record<string, never>;
            subscriptions: Record<string, never>;
            watches: Record<string, never>;
          };
        };
      };
    };
  };
  read_openapi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': Record<string, never>;
        };
      };
    };
  };
  explain_problem: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of a problem. */
        code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In words. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            code: string;
            title: string;
            help: string;
          };
        };
      };
    };
  };
  list_watches: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them whose dataset the caller may read. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Watch'][];
          };
        };
      };
    };
  };
  create_watch: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['WatchRequest'];
      };
    };
    responses: {
      /** @description The watch. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Watch'];
        };
      };
    };
  };
  read_watch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The watch. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Watch'];
        };
      };
    };
  };
  delete_watch: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  change_watch: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': Record<string, never>;
        'application/merge-patch+json': Record<string, never>;
      };
    };
    responses: {
      /** @description The watch. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Watch'];
        };
      };
    };
  };
  pause_watch: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The watch. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Watch'];
        };
      };
    };
  };
  resume_watch: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The watch. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Watch'];
        };
      };
    };
  };
  list_gaps: {
    parameters: {
      query?: {
        /** @description Only events before this position. */
        before?: number;
        /** @description At most. */
        page_size?: number;
      };
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['WatchGap'][];
            /** @description The query of the next page, when there may be one. */
            next?: string;
          };
        };
      };
    };
  };
  explain_watch: {
    parameters: {
      query?: {
        /** @description Id of an entity of the dataset, or what events are about, such as `pipeline/wine`; of a watch of a whole set it need not be given, and a row says there whether its changes count. */
        entity?: string;
      };
      header?: never;
      path: {
        /** @description Of the watch. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The state and its reason. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WatchExplanation'];
        };
      };
    };
  };
  list_subscriptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Subscription'][];
          };
        };
      };
    };
  };
  create_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SubscriptionRequest'];
      };
    };
    responses: {
      /** @description The subscription with its secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedSubscription'];
        };
      };
    };
  };
  read_subscription: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Subscription'];
        };
      };
    };
  };
  delete_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  change_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': Record<string, never>;
        'application/merge-patch+json': Record<string, never>;
      };
    };
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Subscription'];
        };
      };
    };
  };
  pause_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Subscription'];
        };
      };
    };
  };
  resume_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Subscription'];
        };
      };
    };
  };
  probe_subscription: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The subscription. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Subscription'];
        };
      };
    };
  };
  test_subscription: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description The first of its types unless given. */
          type?: string;
        };
      };
    };
    responses: {
      /** @description The request and the response. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestResult'];
        };
      };
    };
  };
  explain_subscription: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ExplainRequest'];
      };
    };
    responses: {
      /** @description Each event with its reasons. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Explanation'][];
          };
        };
      };
    };
  };
  read_webhook_keys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/jwk-set+json': {
            keys: Record<string, never>[];
          };
        };
      };
    };
  };
  add_secret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /**
           * @default hmac
           * @enum {string}
           */
          kind?: 'hmac' | 'ed25519';
          /**
           * @default PT24H
           * @example PT24H
           */
          overlap?: string;
        };
      };
    };
    responses: {
      /** @description The subscription with the new secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedSubscription'];
        };
      };
    };
  };
  remove_secret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the key. */
        kid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It signs no more. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  list_deliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries in this state; `parked`: their lane continues without them. */
        state?: 'pending' | 'sending' | 'checking' | 'held' | 'delivered' | 'failed' | 'cancelled' | 'parked';
        /** @description Event type; `dataset.places.*` names a family. */
        type?: string;
        /** @description What the event is about: `42`, or `places/42`. */
        subject?: string;
        /** @description How the last attempt ended. */
        outcome?: 'confirmed' | 'not_sent' | 'refused' | 'ambiguous';
        /** @description Made at this time or later. */
        from?: string;
        /** @description Made before this time. */
        until?: string;
        /** @description At most. */
        page_size?: number;
        /** @description `next_page_token` of the page before. */
        page_token?: string;
      };
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, which may be short: next_page_token continues after it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Delivery'][];
            next_page_token?: string;
          };
          'application/x-ndjson': components['schemas']['Delivery'];
        };
      };
    };
  };
  list_failed_deliveries: {
    parameters: {
      query?: {
        /** @description Event type; `dataset.places.*` names a family. */
        type?: string;
        /** @description What the event is about: `42`, or `places/42`. */
        subject?: string;
        /** @description How the last attempt ended. */
        outcome?: 'confirmed' | 'not_sent' | 'refused' | 'ambiguous';
        /** @description Made at this time or later. */
        from?: string;
        /** @description Made before this time. */
        until?: string;
        /** @description At most. */
        page_size?: number;
        /** @description `next_page_token` of the page before. */
        page_token?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, which may be short: next_page_token continues after it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: (components['schemas']['Delivery'] & {
              subscription: string;
            })[];
            next_page_token?: string;
          };
        };
      };
    };
  };
  read_delivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
    };
  };
  read_delivery_request: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A CloudEvent, or a request. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/cloudevents+json': Record<string, never>;
          'message/http': string;
        };
      };
    };
  };
  resend_delivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
    };
  };
  confirm_delivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
    };
  };
  cancel_delivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Sequence of the delivery. */
        sequence: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
    };
  };
  replay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoveryRequest'];
      };
    };
    responses: {
      /** @description It goes on by itself. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Recovery'];
        };
      };
    };
  };
  recover: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoveryRequest'];
      };
    };
    responses: {
      /** @description It goes on by itself. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Recovery'];
        };
      };
    };
  };
  list_recoveries: {
    parameters: {
      query?: {
        /** @description Only recoveries before this number. */
        before?: number;
        /** @description At most. */
        page_size?: number;
      };
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Recovery'][];
            /** @description The query of the next page, when there may be one. */
            next?: string;
          };
        };
      };
    };
  };
  read_recovery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the answer to replay or recover. */
        recovery: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The recovery. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Recovery'];
        };
      };
    };
  };
  read_feed: {
    parameters: {
      query?: {
        /** @description A cursor; without one it begins with the oldest event that is kept. */
        after?: string;
        /** @description Limit of events. */
        limit?: number;
        /** @description Seconds to wait for news. */
        wait?: number;
      };
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page; next_cursor continues after it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedPage'];
        };
      };
    };
  };
  list_consumers: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['FeedConsumer'][];
          };
        };
      };
    };
  };
  read_consumer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The consumer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedConsumer'];
        };
      };
    };
  };
  put_consumer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description An acknowledgement settles the push delivery too.
           * @default false
           */
          settles?: boolean;
        };
      };
    };
    responses: {
      /** @description The consumer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedConsumer'];
        };
      };
    };
  };
  delete_consumer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  next_of_consumer: {
    parameters: {
      query?: {
        /** @description Limit of events. */
        limit?: number;
        /** @description Seconds to wait for news. */
        wait?: number;
        /** @description Seconds in which no other reader of this name gets these; with 0 whoever asks next does. */
        visibility?: number;
      };
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedPage'];
        };
      };
    };
  };
  ack_of_consumer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @example 42 */
          through: string;
          from?: string;
        };
      };
    };
    responses: {
      /** @description The consumer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedConsumer'];
        };
      };
    };
  };
  seek_of_consumer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Of the subscription. */
        id: string;
        /** @description Of the consumer. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @example 2026-01-31T00:00:00Z */
          to: string;
        };
      };
    };
    responses: {
      /** @description The consumer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedConsumer'];
        };
      };
    };
  };
  list_event_types: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Types of the datasets that the caller may read, and of the platform. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['EventType'][];
          };
        };
      };
    };
  };
  read_event_type: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Such as dataset.positions.updated. */
        type: string;
        /** @description Of the form of the type. */
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The type; its schema alone as application/schema+json. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventType'];
          'application/schema+json': Record<string, never>;
        };
      };
    };
  };
  list_any_dataset: {
    parameters: {
      query?: {
        /** @description Up to 200 ids, separated by commas: these rows in this order; goes with `fields` and `as_of` alone. */
        ids?: string;
        /** @description Up to three fields, each with `asc` or `desc`: `starts_on desc,title`; `<point>.distance` sorts by the distance from the condition `=near=` of the filter, which each row then has as a member, in metres. */
        order_by?: string;
        /** @description Rows of a page; above 500 it is 500. */
        page_size?: number;
        /** @description `next_page_token` of the page before, or a cursor of the graph. */
        page_token?: string;
        /** @description What a row shows: `title,customer.id`; `*` is all. */
        fields?: string;
        /** @description Whether the rows of the whole search are counted. */
        count?: 'exact' | 'none';
        /** @description Dataset version to read. */
        as_of?: number;
        /** @description Says how the rows were found. */
        explain?: boolean;
        /** @description Up to 10 fields, separated by commas: how many rows of the whole search have which value, the 100 most frequent ones. */
        facets?: string;
        /** @description Up to 10 fields of numbers, separated by commas: count, min, max, sum and average over the whole search. */
        aggregates?: string;
      };
      header?: {
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description Waits for this dataset version: read your own write. */
        'slipway-min-version'?: number;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of rows. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['rowPage'];
        };
      };
    };
  };
  create_any_dataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['rowRequest'];
      };
    };
    responses: {
      /** @description It was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['row'];
        };
      };
    };
  };
  search_any_dataset: {
    parameters: {
      query: {
        /**
         * @description Filter: `staffing_status == Open and customer.id != 4060741400035622411`. `!=` needs a value that is present: `not(field == value)` also finds rows without the field, and `field =null= true` only those.
         * @example version > 0
         */
        q: string;
        /** @description Up to three fields, each with `asc` or `desc`: `starts_on desc,title`; `<point>.distance` sorts by the distance from the condition `=near=` of the filter, which each row then has as a member, in metres. */
        order_by?: string;
        /** @description Rows of a page; above 500 it is 500. */
        page_size?: number;
        /** @description `next_page_token` of the page before, or a cursor of the graph. */
        page_token?: string;
        /** @description What a row shows: `title,customer.id`; `*` is all. */
        fields?: string;
        /** @description Whether the rows of the whole search are counted. */
        count?: 'exact' | 'none';
        /** @description Dataset version to read. */
        as_of?: number;
        /** @description Says how the rows were found. */
        explain?: boolean;
        /** @description Up to 10 fields, separated by commas: how many rows of the whole search have which value, the 100 most frequent ones. */
        facets?: string;
        /** @description Up to 10 fields of numbers, separated by commas: count, min, max, sum and average over the whole search. */
        aggregates?: string;
      };
      header?: {
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description Waits for this dataset version: read your own write. */
        'slipway-min-version'?: number;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of rows. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['rowPage'];
        };
      };
    };
  };
  lookup_any_dataset: {
    parameters: {
      query: {
        /**
         * @description The text typed so far; an empty one lists the most popular rows.
         * @example sao pa
         */
        q: string;
        /** @description Hits at most. */
        limit?: number;
        /** @description Only rows that fulfil this filter. */
        filter?: string;
        /** @description What a row shows: `title,customer.id`; `*` is all. */
        fields?: string;
      };
      header?: {
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description Waits for this dataset version: read your own write. */
        'slipway-min-version'?: number;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Hits, the best first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['rowHits'];
        };
      };
    };
  };
  batch_any_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Batch'];
      };
    };
    responses: {
      /** @description One result for each item. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BatchResults'];
        };
      };
    };
  };
  read_any_dataset: {
    parameters: {
      query?: {
        /** @description What a row shows: `title,customer.id`; `*` is all. */
        fields?: string;
        /** @description Dataset version to read. */
        as_of?: number;
      };
      header?: {
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description Waits for this dataset version: read your own write. */
        'slipway-min-version'?: number;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The row. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['row'];
        };
      };
    };
  };
  put_any_dataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['rowRequest'];
      };
    };
    responses: {
      /** @description The row. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['row'];
        };
      };
      /** @description It was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['row'];
        };
      };
    };
  };
  delete_any_dataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  patch_any_dataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the state that is meant. */
        'If-Match'?: string;
        /** @description Of a read the ETag that is known; of a write `*`, which creates. */
        'If-None-Match'?: string;
        /** @description A repeat with the same key and body finds what the first call made. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/merge-patch+json': components['schemas']['rowPatch'];
        'application/json': components['schemas']['rowPatch'];
      };
    };
    responses: {
      /** @description The row. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['row'];
        };
      };
    };
  };
  history_any_dataset: {
    parameters: {
      query?: {
        /** @description `next_page_token` of the page before, or a cursor of the graph. */
        page_token?: string;
      };
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the row. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of versions. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['History'];
        };
      };
    };
  };
  imports_any_dataset: {
    parameters: {
      query?: {
        /** @description Imports at most. */
        limit?: number;
      };
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The imports. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Imports'];
        };
      };
    };
  };
  import_any_dataset: {
    parameters: {
      query?: {
        /** @description Of the upload, where no body is sent. */
        format?: 'ndjson' | 'csv';
        /** @description `replace` deletes what is absent from the upload. */
        mode?: 'upsert' | 'insert_only' | 'replace';
        /** @description Everything but the writes. */
        dry_run?: boolean;
        /** @description Whether a bad row ends the import. */
        on_error?: 'stop' | 'skip';
        /** @description With `skip`: the import fails when there are more. */
        max_errors?: number;
        /** @description `at_end`: readers see nothing of it until it has succeeded. */
        announce?: 'as_you_go' | 'at_end';
      };
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/x-ndjson': string;
        'text/csv': string;
      };
    };
    responses: {
      /** @description The import. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
      /** @description The import. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
    };
  };
  read_import_any_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The import. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
    };
  };
  cancel_import_any_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is canceled. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  append_import_any_dataset: {
    parameters: {
      query?: never;
      header: {
        /** @description Where this part begins, in bytes. */
        'upload-offset': number;
      };
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      /** @description The import. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
    };
  };
  start_import_any_dataset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a dataset. */
        dataset: string;
        /** @description Of the import. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The import. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
    };
  };
}
