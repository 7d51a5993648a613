export { backend, memoryBackend } from './memory-backend.ts'
