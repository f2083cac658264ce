;;; emacs.el --- Emacs' dap-mode debugs sums.cu -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;;; Commentary:
;; Run by tests/debugger/dap/editors, in batch mode: what dap-mode is told becomes lines "NAME: TEXT".
;; The folder with sums.cu and its program, and the adapter, are in DAP_FOLDER and DAP_ADAPTER.
;;; Code:

(require 'package)
(package-initialize)
(require 'dap-mode)
(require 'dap-ui)
(setq dap-print-io nil
      dap-breakpoints-file (expand-file-name "breakpoints" (getenv "DAP_FOLDER"))
      dap-auto-configure-features nil
      lsp-session-file (expand-file-name "lsp" (getenv "DAP_FOLDER")))

(defvar test-folder (getenv "DAP_FOLDER"))
(defvar test-source (expand-file-name "sums.cu" test-folder))

(defun test-say (name text)
  "One line of NAME and TEXT."
  (princ (format "%s: %s\n" name text)))

(defun test-await (what predicate)
  "Wait until PREDICATE holds; WHAT is for the message when it never does."
  (let ((end (+ (float-time) 60)))
    (while (and (not (funcall predicate)) (< (float-time) end))
      (accept-process-output nil 0.02))
    (unless (funcall predicate)
      (test-say "timeout" what)
      (kill-emacs 1))))

(defvar test-stops 0 "How often a frame was shown.")
(add-hook 'dap-stack-frame-changed-hook (lambda (_) (setq test-stops (1+ test-stops))))

(defun test-stop (number)
  "The session when the NUMBERth stop's frame is there."
  (test-await (format "stop %d" number)
              (lambda () (and (>= test-stops number)
                              (dap--debug-session-active-frame (dap--cur-session)))))
  (dap--cur-session))

(defun test-frame (session name)
  "Say where SESSION stands, as NAME."
  (let ((frame (dap--debug-session-active-frame session)))
    (test-say name (format "%s %s"
                           (car (split-string (gethash "name" frame) "("))
                           (gethash "line" frame)))))

(defun test-evaluate (session expression)
  "What EXPRESSION is in SESSION's frame."
  (gethash "result" (dap-request session "evaluate" :expression expression :context "watch"
                                 :frameId (gethash "id" (dap--debug-session-active-frame session)))))

(defun test-line (text)
  "The line of sums.cu with TEXT."
  (with-current-buffer (find-file-noselect test-source)
    (goto-char (point-min))
    (search-forward text)
    (line-number-at-pos)))

;; A breakpoint as the user sets one: at point, in the source's buffer.
(with-current-buffer (find-file-noselect test-source)
  (dap--after-initialize)
  (goto-char (point-min))
  (search-forward "if (i < n)")
  (dap-breakpoint-add))

(dap-start-debugging-noexpand
 (list :type "cudasim" :request "launch" :name "sums" :dap-server-path (list (getenv "DAP_ADAPTER") "dap")
       :program (expand-file-name "sums" test-folder) :cwd test-folder))

(let* ((session (test-stop 1))
       (frame (dap--debug-session-active-frame session))
       (thread (dap--debug-session-thread-id session)))
  (test-frame session "breakpoint")
  (test-say "stack"
            (mapconcat (lambda (f) (car (split-string (gethash "name" f) "(")))
                       (gethash thread (dap--debug-session-thread-stack-frames session)) ", "))
  (let* ((scopes (gethash "scopes" (dap-request session "scopes" :frameId (gethash "id" frame))))
         (locals (gethash "variables"
                          (dap-request session "variables" :variablesReference
                                       (gethash "variablesReference" (car (append scopes nil)))))))
    (dolist (variable (append locals nil))
      (when (member (gethash "name" variable) '("i" "total"))
        (test-say (gethash "name" variable) (gethash "value" variable)))))
  (test-say "evaluate" (test-evaluate session "tile[4] * 10"))
  (dap-next session)
  (test-stop 2)
  (test-frame session "next")
  (dap-step-in session)
  (test-stop 3)
  (test-frame session "step in")
  (let* ((info (dap-request session "dataBreakpointInfo" :name "calls"))
         (set (dap-request session "setDataBreakpoints" :breakpoints
                           (vector (list :dataId (gethash "dataId" info) :accessType "write")))))
    (test-say "data breakpoint"
              (gethash "verified" (car (append (gethash "breakpoints" set) nil)))))
  (dap-continue session thread)
  (test-stop 4)
  (test-say "written" (test-evaluate session "calls"))
  (dap-request session "setDataBreakpoints" :breakpoints [])
  (dap-continue session thread)
  (test-await "the end" (lambda () (not (dap--session-running session))))
  (with-current-buffer (dap--debug-session-output-buffer session)
    (goto-char (point-min))
    (test-say "output" (if (search-forward "last is 22305" nil t) "22305" (buffer-string)))))
(kill-emacs 0)
;;; emacs.el ends here
