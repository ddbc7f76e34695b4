import {
  ListSubscriptionsRequest,
  ListSubscriptionsResponse,
  ResumeWebhookRequest,
  ResumeWebhookResponse,
} from '../../gen/ts/mneme/v1/subscription_service.ts';
import { unary } from './connect.ts';

const subscriptions = 'mneme.v1.SubscriptionService';
export const listSubscriptions = unary(
  `${subscriptions}/ListSubscriptions`,
  ListSubscriptionsRequest,
  ListSubscriptionsResponse,
);
export const resumeWebhook = unary(`${subscriptions}/ResumeWebhook`, ResumeWebhookRequest, ResumeWebhookResponse);
