import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The search attributes by which runs are filtered in the Web UI; registered with the server before the first start. */
export const SEARCH_ATTRIBUTES = {
  resourceKind: defineSearchAttributeKey('ResourceKind', SearchAttributeType.KEYWORD),
  resourceId: defineSearchAttributeKey('ResourceId', SearchAttributeType.KEYWORD),
  modelName: defineSearchAttributeKey('ModelName', SearchAttributeType.KEYWORD),
  modelVersion: defineSearchAttributeKey('ModelVersion', SearchAttributeType.KEYWORD),
  pipelineId: defineSearchAttributeKey('PipelineId', SearchAttributeType.KEYWORD),
  health: defineSearchAttributeKey('SlipwayHealth', SearchAttributeType.KEYWORD),
  settings: defineSearchAttributeKey('ScheduleSettings', SearchAttributeType.KEYWORD),
  trigger: defineSearchAttributeKey('Trigger', SearchAttributeType.KEYWORD),
} as const;
