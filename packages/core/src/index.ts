export { isStoreError, StoreError } from './errors/store-error.ts'
