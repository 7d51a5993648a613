import { Database } from '../database/database.ts'
import { isBusy } from '../database/failure-of.ts'
import { loadLibrary } from '../database/load-library.ts'

/**
 * Holds a database for itself until its parent lets go or dies: a process of its own, because a lock of SQLite is lost
 * when its process closes any other descriptor of the file. It is killed rather than closed, for closing would empty
 * the log, and the damaged original is to stay as it is.
 */
const [path = '', driver = ''] = process.argv.slice(2)
const database = new Database(loadLibrary(driver).open(path, { readOnly: false }))
let answer = 'locked'
try {
  database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE')
} catch (error) {
  // What cannot be opened for damage nobody else has open either.
  answer = isBusy(error) ? 'busy' : 'damaged'
}
process.stdout.write(answer)
process.stdin.on('close', () => {
  process.kill(process.pid, 'SIGKILL')
  database.close() // never reached: what is still to be used is not collected, which would close it as well
})
process.stdin.resume()
