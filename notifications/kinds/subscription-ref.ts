/** Free of schemas, so that workflows may import it. */
export interface SubscriptionRef {
  subscriptionId: string;
}
export const notificationWorkflowId = (subscriptionId: string): string => `notification/${subscriptionId}`;
export const WAKE_SIGNAL = 'wake';
