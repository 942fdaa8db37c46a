export * from 'uws-pack';
