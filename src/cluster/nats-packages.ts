// The packages of NATS. The build puts them into a file of their own, which is read when one of these names is first used.
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
export { connect, headers } from '@nats-io/transport-node';
