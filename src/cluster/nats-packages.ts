// The packages of NATS. The build bundles them separately; the bundle is loaded when one of these names is first used.
export {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
export { Kvm } from '@nats-io/kv';
export { Objm } from '@nats-io/obj';
export { AuthorizationError, connect, headers } from '@nats-io/transport-node';
